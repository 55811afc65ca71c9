package dev.redline.core.internal.remote;

import java.util.concurrent.CompletableFuture;

/**
 * A request that no call has answered yet, such as an acquisition: the future of its result. The
 * call or the deadline completes it, the first one; the other has no effect.
 *
 * @param <Q> what is requested
 * @param <R> the result
 */
public final class PendingCall<Q, R> extends CompletableFuture<R> {
  private final Q request;
  private final long deadlineNanos;
  private final boolean blocking;

  /**
   * Creates a pending request.
   *
   * @param deadlineNanos when it fails if it is not answered, by {@link System#nanoTime}
   * @param blocking whether one thread is blocked on it and no continuation depends on it, so that
   *     any thread may complete it
   */
  PendingCall(Q request, long deadlineNanos, boolean blocking) {
    this.request = request;
    this.deadlineNanos = deadlineNanos;
    this.blocking = blocking;
  }

  /** Returns what is requested. */
  public Q request() {
    return request;
  }

  /** Returns how much time is left until the deadline; negative after it. */
  public long nanosLeft() {
    return deadlineNanos - System.nanoTime();
  }

  boolean isExpired(long nanos) {
    return nanos - deadlineNanos >= 0;
  }

  boolean isBlocking() {
    return blocking;
  }

  /** Completes it with its result, or with a {@link RuntimeException}. */
  @SuppressWarnings("unchecked") // what a call returns is of type R, or an exception
  void settle(Object result) {
    if (result instanceof RuntimeException failure) {
      completeExceptionally(failure);
    } else {
      complete((R) result);
    }
  }
}
