package dev.redline.spring.method;

import dev.redline.binding.AnnotationLookup;
import dev.redline.core.RateLimit;
import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Intercepts methods with {@link RateLimit}, as Spring's own advisors do for {@code @Cacheable} and
 * {@code @Transactional}: an auto-proxy creator finds it, and no AspectJ is needed.
 */
public final class RateLimitAdvisor extends AbstractPointcutAdvisor {
  private static final long serialVersionUID = 1L;

  private final transient RateLimitInterceptor interceptor;
  private final transient Pointcut pointcut = new LimitedMethods();

  /**
   * Creates the advisor.
   *
   * @param order the place among the advisors of a method
   */
  public RateLimitAdvisor(RateLimitInterceptor interceptor, int order) {
    this.interceptor = interceptor;
    setOrder(order);
  }

  @Override
  public Pointcut getPointcut() {
    return pointcut;
  }

  @Override
  public Advice getAdvice() {
    return interceptor;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  /** Matches by annotations alone: proxies are made before there is an engine. */
  private static final class LimitedMethods extends StaticMethodMatcherPointcut {
    private final AnnotationLookup annotations = new AnnotationLookup();

    LimitedMethods() {
      setClassFilter(
          type ->
              AnnotationUtils.isCandidateClass(type, RateLimit.class)
                  && !LimitedBeansCheck.cannotBeSubclassed(type)
                  && !type.getName().startsWith("org.springframework."));
    }

    @Override
    public boolean matches(Method method, Class<?> type) {
      return annotations.isLimited(method, ClassUtils.getUserClass(type));
    }
  }
}
