package dev.redline.jakarta;

import dev.redline.binding.CallPlan;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import java.lang.reflect.UndeclaredThrowableException;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls of limited methods by their plans. Serializable, because beans of passivating scopes
 * may be limited too. The extension sets its priority.
 */
@RateLimited
@Interceptor
class MethodLimitInterceptor implements Serializable {
  private static final long serialVersionUID = 1L;

  private transient @Nullable LimitedApplication application;

  @Inject
  void use(LimitedApplication value) {
    application = value;
  }

  @AroundInvoke
  @Nullable Object limit(InvocationContext invocation) throws Exception {
    LimitedApplication current = application();
    CallPlan plan = current.plan(invocation.getMethod(), invocation.getTarget().getClass());
    if (plan == null) {
      return invocation.proceed();
    }
    try {
      return plan.invoke(new InvokedMethod(invocation, current.currentRequest()));
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new UndeclaredThrowableException(e);
    }
  }

  private LimitedApplication application() {
    LimitedApplication current = application;
    if (current == null) {
      current = LimitedApplication.find().orElseThrow();
      application = current;
    }
    return current;
  }
}
