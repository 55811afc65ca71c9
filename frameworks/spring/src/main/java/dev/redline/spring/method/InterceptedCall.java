package dev.redline.spring.method;

import dev.redline.binding.Call;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** A call that a proxy intercepted. */
final class InterceptedCall implements Call {
  private static final boolean REACTOR =
      ClassUtils.isPresent(
          "reactor.core.scheduler.Schedulers", InterceptedCall.class.getClassLoader());

  private final MethodInvocation invocation;
  private final boolean repeatable;
  private final @Nullable CurrentRequest current;
  private @Nullable RequestContext described;

  /**
   * Creates a call.
   *
   * @param repeatable whether it may proceed several times
   * @param current the request of the calling thread, or null
   */
  InterceptedCall(
      MethodInvocation invocation, boolean repeatable, @Nullable CurrentRequest current) {
    this.invocation = invocation;
    this.repeatable = repeatable;
    this.current = current;
  }

  @Override
  public @Nullable Object target() {
    return invocation.getThis();
  }

  @Override
  public @Nullable Object[] arguments() {
    return invocation.getArguments();
  }

  @Override
  public RequestContext request() {
    RequestContext request = described;
    if (request == null) {
      request = current == null ? RequestContext.EMPTY : current.describe();
      described = request;
    }
    return request;
  }

  @Override
  public boolean mayBlock() {
    return !REACTOR || !NonBlocking.isCurrentThread();
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    if (current != null) {
      current.decided(result, fallback);
    }
  }

  @Override
  public @Nullable Object proceed() throws Throwable {
    return repeatable
        ? ((ProxyMethodInvocation) invocation).invocableClone().proceed()
        : invocation.proceed();
  }

  /** Loaded only if Reactor is present. */
  private static final class NonBlocking {
    static boolean isCurrentThread() {
      return Schedulers.isInNonBlockingThread();
    }
  }
}
