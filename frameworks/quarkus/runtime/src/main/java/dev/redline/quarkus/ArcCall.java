package dev.redline.quarkus;

import dev.redline.binding.web.CallInRequest;
import dev.redline.binding.web.CurrentRequest;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call that an interceptor of a CDI bean sees. */
final class ArcCall extends CallInRequest {
  private final InvocationContext invocation;
  private final CallerContext caller = CallerContext.current();

  /**
   * Creates a call of this thread.
   *
   * @param current the current HTTP request, or null outside of requests
   */
  ArcCall(InvocationContext invocation, @Nullable CurrentRequest current) {
    super(invocation.getTarget(), invocation.getParameters(), current);
    this.invocation = invocation;
  }

  @Override
  public boolean mayBlock() {
    return caller.mayBlock();
  }

  @Override
  public Executor resumeOn() {
    return caller;
  }

  @Override
  public @Nullable Object proceed() throws Exception {
    return invocation.proceed();
  }
}
