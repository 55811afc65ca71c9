package dev.redline.bench.local;

import java.util.Locale;

/**
 * Whether the limits allow or deny the load; the same for all limiters.
 *
 * <p>Refill is so slow that no bucket becomes full during a measurement. A full bucket would be
 * removed and created again, but only decisions are to be measured.
 */
enum Mix {
  /** Every bucket has far more tokens than the run can acquire. */
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
