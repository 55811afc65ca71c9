package dev.redline.bench.local;

import java.util.Locale;

/**
 * What the limits do to the load. Every limiter gets the same ones.
 *
 * <p>Refill is so slow that no bucket is full again, and so dropped and made anew, while it is
 * measured: what is measured is the decision.
 */
enum Mix {
  /** Every bucket holds far more than the run can take. */
  ALLOW(1_000_000),
  /** Every bucket is empty after the first request. */
  DENY(1);

  private final int capacity;

  Mix(int capacity) {
    this.capacity = capacity;
  }

  /** Returns the capacity; one token comes back per minute. */
  int capacity() {
    return capacity;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
