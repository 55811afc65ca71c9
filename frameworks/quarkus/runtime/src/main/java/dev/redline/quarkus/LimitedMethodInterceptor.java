package dev.redline.quarkus;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.UndeclaredThrowableException;
import org.jspecify.annotations.Nullable;

/** Intercepts methods that {@code RateLimit} limits. The build may replace its priority. */
@RateLimitBinding
@Interceptor
@Priority(QuarkusOrder.INTERCEPTOR_BEFORE_CACHE)
public class LimitedMethodInterceptor {
  private final Instance<MethodLimiting> lazy;
  private volatile @Nullable MethodLimiting limiting;

  /** Creates the interceptor of one bean. The engine may not exist yet. */
  @Inject
  LimitedMethodInterceptor(Instance<MethodLimiting> lazy) {
    this.lazy = lazy;
  }

  @AroundInvoke
  @Nullable Object limit(InvocationContext invocation) throws Exception {
    MethodLimiting current = limiting;
    if (current == null) {
      current = lazy.get();
      limiting = current;
    }
    try {
      return current.invoke(invocation);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new UndeclaredThrowableException(e);
    }
  }
}
