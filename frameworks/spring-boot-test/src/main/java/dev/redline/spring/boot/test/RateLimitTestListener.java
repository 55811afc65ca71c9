package dev.redline.spring.boot.test;

import dev.redline.core.RateLimitEngine;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Makes all buckets full before each test, and switches limiting off where a test says so. */
final class RateLimitTestListener implements TestExecutionListener {
  private static final String ENABLED = RateLimitTestListener.class.getName() + ".ENABLED";

  @Override
  public void beforeTestMethod(TestContext test) {
    if (!test.hasApplicationContext()) {
      return;
    }
    ApplicationContext context = test.getApplicationContext();
    context
        .getBeanProvider(StoreUnderManualClock.class)
        .ifAvailable(StoreUnderManualClock::startAgain);
    if (isWithoutLimits(test)) {
      engine(context)
          .ifUnique(
              engine -> {
                test.setAttribute(ENABLED, engine.enabled());
                engine.enable(false);
              });
    }
  }

  @Override
  public void afterTestMethod(TestContext test) {
    if (test.removeAttribute(ENABLED) instanceof Boolean before) {
      engine(test.getApplicationContext()).ifUnique(engine -> engine.enable(before));
    }
  }

  private static ObjectProvider<RateLimitEngine> engine(ApplicationContext context) {
    return context.getBeanProvider(RateLimitEngine.class);
  }

  private static boolean isWithoutLimits(TestContext test) {
    return AnnotatedElementUtils.hasAnnotation(test.getTestMethod(), WithoutRateLimits.class)
        || TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), WithoutRateLimits.class);
  }
}
