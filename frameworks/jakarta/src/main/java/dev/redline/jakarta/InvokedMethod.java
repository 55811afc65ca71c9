package dev.redline.jakarta;

import dev.redline.binding.Call;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call that the container intercepted. */
final class InvokedMethod implements Call {
  private final InvocationContext invocation;
  private final @Nullable CurrentRequest current;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private @Nullable RequestContext described;

  /**
   * Creates a call.
   *
   * @param current the request that the calling thread handles, or null
   */
  InvokedMethod(InvocationContext invocation, @Nullable CurrentRequest current) {
    this.invocation = invocation;
    this.current = current;
  }

  @Override
  public @Nullable Object target() {
    return invocation.getTarget();
  }

  @Override
  public @Nullable Object[] arguments() {
    return invocation.getParameters();
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

  /** Returns an executor that runs the method with the class loader of the application. */
  @Override
  public Executor resumeOn() {
    return task -> {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        task.run();
      } finally {
        thread.setContextClassLoader(before);
      }
    };
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    if (current != null) {
      current.decided(result, fallback);
    }
  }

  @Override
  public @Nullable Object proceed() throws Exception {
    return invocation.proceed();
  }
}
