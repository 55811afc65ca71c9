package dev.redline.jakarta;

import dev.redline.binding.web.CallInRequest;
import dev.redline.binding.web.CurrentRequest;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call that the container intercepted. */
final class InvokedMethod extends CallInRequest {
  private final InvocationContext invocation;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  /**
   * Creates a call.
   *
   * @param current the request that the calling thread handles, or null
   */
  InvokedMethod(InvocationContext invocation, @Nullable CurrentRequest current) {
    super(invocation.getTarget(), invocation.getParameters(), current);
    this.invocation = invocation;
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
  public @Nullable Object proceed() throws Exception {
    return invocation.proceed();
  }
}
