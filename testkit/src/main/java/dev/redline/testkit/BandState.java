package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigInteger;

/**
 * The state of a band at one moment, as two integers of any size, never negative.
 *
 * @param first token bucket: the debt, which is the capacity minus the tokens left, in units of
 *     1/refillTokens µs; window: the count of the current window
 * @param second token bucket with interval refill: the time since the start of the current
 *     interval, in µs; sliding window: the count of the previous window; else 0
 */
record BandState(BigInteger first, BigInteger second) {
  static final BandState ZERO = of(BigInteger.ZERO);

  BandState {
    first = first.max(BigInteger.ZERO);
    second = second.max(BigInteger.ZERO);
  }

  static BandState of(BigInteger first) {
    return new BandState(first, BigInteger.ZERO);
  }

  /** Converts the state that a store reports, in three words, starting at {@code view[v]}. */
  static BandState of(RateLimitBand band, long[] view, int v) {
    BigInteger a = BigInteger.valueOf(view[v]);
    BigInteger b = BigInteger.valueOf(view[v + 1]);
    BigInteger refill = BigInteger.valueOf(band.refillTokens());
    return switch (band.algorithm()) {
      case FIXED_WINDOW -> of(a);
      case SLIDING_WINDOW -> new BandState(a, b);
      case TOKEN_BUCKET -> {
        boolean interval = band.refill() == Refill.INTERVAL;
        BigInteger unit =
            interval ? BigInteger.ONE : refill.gcd(BigInteger.valueOf(band.periodMicros()));
        BigInteger owed = a.multiply(refill).add(b.multiply(unit));
        yield interval ? new BandState(owed, BigInteger.valueOf(view[v + 2])) : of(owed);
      }
    };
  }

  BandState plus(BandState other) {
    return new BandState(first.add(other.first), second.add(other.second));
  }

  BandState times(int count) {
    BigInteger factor = BigInteger.valueOf(count);
    return new BandState(first.multiply(factor), second.multiply(factor));
  }

  /**
   * A range of states, both ends included.
   *
   * @param min the smallest numbers
   * @param max the largest numbers
   */
  record Range(BandState min, BandState max) {
    boolean contains(BandState seen) {
      return seen.first.compareTo(min.first) >= 0
          && seen.first.compareTo(max.first) <= 0
          && seen.second.compareTo(min.second) >= 0
          && seen.second.compareTo(max.second) <= 0;
    }

    @Override
    public String toString() {
      return min.equals(max) ? max.toString() : "from " + min + " to " + max;
    }
  }

  @Override
  public String toString() {
    return second.signum() == 0 ? first.toString() : first + "/" + second;
  }
}
