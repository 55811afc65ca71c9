package dev.redline.core.limit;

/** How a band counts. */
public enum Algorithm {
  /** Tokens refill over time up to the capacity; bursts up to the capacity pass. */
  TOKEN_BUCKET,
  /** Current window plus a weighted share of the previous one; constant state per key. */
  SLIDING_WINDOW,
  /** A counter per epoch-aligned window; for quotas. */
  FIXED_WINDOW
}
