package dev.redline.spring.method;

import dev.redline.binding.CallPlan;
import dev.redline.binding.CallPlans;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs calls of limited methods by their plans, which are resolved once. */
public final class RateLimitInterceptor implements MethodInterceptor {
  private final Supplier<MethodLimits> limits;

  /** What the interceptor needs of the running application. */
  public record MethodLimits(
      boolean enabled, CallPlans plans, CurrentRequest.Finder currentRequest) {}

  /**
   * Creates the interceptor.
   *
   * @param limits called at the first call: proxies are made before there is an engine
   */
  public RateLimitInterceptor(Supplier<MethodLimits> limits) {
    this.limits = SingletonSupplier.of(limits);
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    MethodLimits current = limits.get();
    Object target = invocation.getThis();
    if (current == null || !current.enabled() || target == null) {
      return invocation.proceed();
    }
    CallPlan plan = current.plans().of(invocation.getMethod(), AopUtils.getTargetClass(target));
    if (plan == null) {
      return invocation.proceed();
    }
    CurrentRequest request = current.currentRequest().find();
    if (!plan.isAsynchronous()) {
      return plan.invoke(new InterceptedCall(invocation, false, request));
    }
    // An asynchronous call proceeds later, and a publisher once for each subscription.
    boolean cloned = invocation instanceof ProxyMethodInvocation;
    return plan.invoke(new InterceptedCall(invocation, cloned, request));
  }
}
