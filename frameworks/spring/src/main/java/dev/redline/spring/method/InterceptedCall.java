package dev.redline.spring.method;

import dev.redline.binding.web.CallInRequest;
import dev.redline.binding.web.CurrentRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** A call that a proxy intercepted. */
final class InterceptedCall extends CallInRequest {
  private static final boolean REACTOR =
      ClassUtils.isPresent(
          "reactor.core.scheduler.Schedulers", InterceptedCall.class.getClassLoader());

  private final MethodInvocation invocation;
  private final boolean repeatable;

  /**
   * Creates a call.
   *
   * @param repeatable whether it may proceed several times
   * @param current the request of the calling thread, or null
   */
  InterceptedCall(
      MethodInvocation invocation, boolean repeatable, @Nullable CurrentRequest current) {
    super(invocation.getThis(), invocation.getArguments(), current);
    this.invocation = invocation;
    this.repeatable = repeatable;
  }

  @Override
  public boolean mayBlock() {
    return !REACTOR || !NonBlocking.isCurrentThread();
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
