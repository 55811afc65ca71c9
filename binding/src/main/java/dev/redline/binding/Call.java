package dev.redline.binding;

import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One call of a limited method, as the adapter of a framework sees it. Used by one thread at a
 * time.
 */
public interface Call {
  /** Returns the object whose method is called, not its proxy; null for a static method. */
  @Nullable Object target();

  /** Returns the arguments; not changed by the plan. */
  @Nullable Object[] arguments();

  /**
   * Returns the current request, {@link RequestContext#EMPTY} outside of requests. Called only if
   * the plan {@linkplain CallPlan#needsRequest needs it}, at most a few times.
   */
  default RequestContext request() {
    return RequestContext.EMPTY;
  }

  /** Returns whether this thread may block; false on an event loop. */
  default boolean mayBlock() {
    return true;
  }

  /**
   * Returns where an asynchronous method runs after its decision, if that arrived on another
   * thread: the event loop or context of the caller.
   */
  default Executor resumeOn() {
    return Runnable::run;
  }

  /**
   * Is notified of the decision, for header fields of the response. Not called if no limit applies.
   *
   * @param fallback whether a fallback makes the response, which then has no {@code Retry-After}
   */
  default void decided(RateLimitResult result, boolean fallback) {}

  /**
   * Runs the method and returns its result. Called at most once, except by return adapters that run
   * the method for each subscription.
   */
  @Nullable Object proceed() throws Throwable;
}
