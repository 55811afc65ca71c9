package dev.redline.stores.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many acquisitions may wait in all lanes of a store: as many as Redis decides in half of the
 * deadline, by the rate that was measured while acquisitions were waiting. More would reach their
 * deadline in the queue, so they fail at once.
 *
 * <p>The rate of an idle store is not measured, since it is that of its callers.
 */
final class QueueLimit {
  private static final long WINDOW_NANOS = 20_000_000;

  /** The share of a lower rate that is accepted at once, so that one pause does not matter. */
  private static final double DECAY = 0.1;

  private final AtomicInteger waiting = new AtomicInteger();
  private final int least;
  private final int most;
  private final double halfDeadlineNanos;
  private volatile int limit;

  // Guarded by this.
  private boolean busy;
  private long busySinceNanos;
  private long decided;
  private double perNano;

  /**
   * Creates the limit, which is {@code most} until a rate is known.
   *
   * @param least the lowest limit: four full calls, as many as a lane has in flight
   */
  QueueLimit(int least, int most, Duration deadline) {
    this.least = Math.min(least, most);
    this.most = most;
    this.halfDeadlineNanos = deadline.toNanos() / 2.0;
    this.limit = most;
  }

  /** Counts one more; returns false if the limit is reached. */
  boolean tryEnter() {
    if (waiting.incrementAndGet() > limit) {
      waiting.decrementAndGet();
      return false;
    }
    return true;
  }

  void leave(int count) {
    waiting.addAndGet(-count);
  }

  boolean isEmpty() {
    return waiting.get() == 0;
  }

  int limit() {
    return limit;
  }

  /** Records that Redis has decided some acquisitions. */
  synchronized void decided(int count, long nanos) {
    if (busy) {
      decided += count;
      long elapsed = nanos - busySinceNanos;
      if (elapsed >= WINDOW_NANOS) {
        measured((double) decided / elapsed);
        busy = false;
      }
    }
    if (isEmpty()) {
      busy = false;
    } else if (!busy) {
      busy = true;
      busySinceNanos = nanos;
      decided = 0;
    }
  }

  private void measured(double rate) {
    perNano = rate >= perNano ? rate : perNano + DECAY * (rate - perNano);
    limit = (int) Math.max(least, Math.min(most, perNano * halfDeadlineNanos));
  }
}
