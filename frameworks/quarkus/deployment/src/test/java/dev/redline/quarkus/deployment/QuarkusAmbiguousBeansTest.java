package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusAmbiguousBeansTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(
              root -> root.addClasses(FirstHandler.class, ProducerOfASecondHandler.class))
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining(RateLimitHandler.class.getName())
                      .hasStackTraceContaining("there are 2: ")
                      .hasStackTraceContaining(FirstHandler.class.getName())
                      .hasStackTraceContaining(
                          "a producer of " + ProducerOfASecondHandler.class.getName()));

  /** Allows everything. */
  @Singleton
  public static class FirstHandler implements RateLimitHandler {
    @Override
    public CompletionStage<RateLimitResult> handle(LimitCheck check) {
      return CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED));
    }
  }

  /** Another one that allows everything. */
  public static class ProducerOfASecondHandler {
    @Produces
    @Singleton
    RateLimitHandler second() {
      return new FirstHandler();
    }
  }

  @Test
  void severalBeansThatWouldReplaceOnePartStopTheStartAndAreNamed() {
    fail("the application started");
  }
}
