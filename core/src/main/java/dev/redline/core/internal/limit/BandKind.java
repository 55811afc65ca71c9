package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;

/** The kinds of algorithm, told apart by what they keep as state. */
public enum BandKind {
  /** A token bucket that refills evenly. */
  CONTINUOUS_BUCKET(1),
  /** A token bucket that refills at the end of whole periods. */
  INTERVAL_BUCKET(2),
  /** A sliding window counter. */
  SLIDING_WINDOW(3),
  /** A counter per epoch-aligned window. */
  FIXED_WINDOW(4);

  private final int wireNumber;

  BandKind(int wireNumber) {
    this.wireNumber = wireNumber;
  }

  /** Returns the kind of a band. */
  public static BandKind of(RateLimitBand band) {
    return switch (band.algorithm()) {
      case TOKEN_BUCKET ->
          switch (band.refill()) {
            case CONTINUOUS -> CONTINUOUS_BUCKET;
            case INTERVAL -> INTERVAL_BUCKET;
          };
      case SLIDING_WINDOW -> SLIDING_WINDOW;
      case FIXED_WINDOW -> FIXED_WINDOW;
    };
  }

  /** Returns the number that stands for the kind in what is sent to a store; it never changes. */
  public int wireNumber() {
    return wireNumber;
  }
}
