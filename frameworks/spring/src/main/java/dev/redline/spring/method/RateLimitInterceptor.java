package dev.redline.spring.method;

import dev.redline.binding.CallPlan;
import dev.redline.binding.CallPlans;
import dev.redline.binding.web.CurrentRequest;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Runs calls of limited methods by their plans, which are resolved once. */
public final class RateLimitInterceptor implements MethodInterceptor {
  private final Supplier<MethodLimits> limits;
  private volatile @Nullable MethodLimits resolved;

  /** What the interceptor needs of the running application. */
  public record MethodLimits(
      boolean enabled, CallPlans plans, CurrentRequest.Finder currentRequest) {}

  /**
   * Creates the interceptor.
   *
   * @param limits called at the first calls, without a lock, since they may be on event loops:
   *     proxies are made before there is an engine
   */
  public RateLimitInterceptor(Supplier<MethodLimits> limits) {
    this.limits = limits;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    MethodLimits current = resolved;
    if (current == null) {
      current = limits.get();
      resolved = current;
    }
    Object target = invocation.getThis();
    if (!current.enabled() || target == null) {
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
