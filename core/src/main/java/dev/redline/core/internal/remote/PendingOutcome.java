package dev.redline.core.internal.remote;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.util.concurrent.CompletableFuture;

/**
 * An acquisition that a store has not decided yet: the future of its outcome. The call or the
 * deadline completes it, the first one; the other has no effect.
 */
public final class PendingOutcome extends CompletableFuture<Outcome> {
  private final Acquisition acquisition;
  private final long deadlineNanos;
  private final boolean blocking;

  /**
   * Creates a pending acquisition.
   *
   * @param deadlineNanos when it fails if it is not decided, by {@link System#nanoTime}
   * @param blocking whether one thread is blocked on it and no continuation depends on it, so that
   *     any thread may complete it
   */
  PendingOutcome(Acquisition acquisition, long deadlineNanos, boolean blocking) {
    this.acquisition = acquisition;
    this.deadlineNanos = deadlineNanos;
    this.blocking = blocking;
  }

  /** Returns what is to be acquired. */
  public Acquisition acquisition() {
    return acquisition;
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

  /** Completes it with an {@link Outcome} or a {@link StoreException}. */
  void settle(Object result) {
    if (result instanceof StoreException failure) {
      completeExceptionally(failure);
    } else {
      complete((Outcome) result);
    }
  }
}
