package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.Refill;
import java.math.BigInteger;

/**
 * All that can be seen of a band at one moment, in integers of any size and never below zero: of a
 * token bucket what is owed, in 1/refillTokens µs, and how much of the current refill interval has
 * passed; of a window its count and the one before, where that counts.
 */
record BandState(BigInteger first, BigInteger second) {
  static final BandState NOTHING = of(BigInteger.ZERO);

  BandState {
    first = first.max(BigInteger.ZERO);
    second = second.max(BigInteger.ZERO);
  }

  static BandState of(BigInteger first) {
    return new BandState(first, BigInteger.ZERO);
  }

  /** Reads what a store saw of a band, from the three words it tells. */
  static BandState of(RateLimitBand band, long[] view, int v) {
    BigInteger a = BigInteger.valueOf(view[v]);
    BigInteger b = BigInteger.valueOf(view[v + 1]);
    BigInteger refill = BigInteger.valueOf(band.refillTokens());
    return switch (band.algorithm()) {
      case FIXED_WINDOW -> of(a);
      case SLIDING_WINDOW -> new BandState(a, b);
      case TOKEN_BUCKET -> {
        boolean whole = band.refill() == Refill.INTERVAL;
        BigInteger unit =
            whole ? BigInteger.ONE : refill.gcd(BigInteger.valueOf(band.periodMicros()));
        BigInteger owed = a.multiply(refill).add(b.multiply(unit));
        yield whole ? new BandState(owed, BigInteger.valueOf(view[v + 2])) : of(owed);
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
   * What may be seen at least and at most.
   *
   * @param least the least
   * @param most the most
   */
  record Range(BandState least, BandState most) {
    boolean contains(BandState seen) {
      return seen.first.compareTo(least.first) >= 0
          && seen.first.compareTo(most.first) <= 0
          && seen.second.compareTo(least.second) >= 0
          && seen.second.compareTo(most.second) <= 0;
    }

    @Override
    public String toString() {
      return least.equals(most) ? most.toString() : "from " + least + " to " + most;
    }
  }

  @Override
  public String toString() {
    return second.signum() == 0 ? first.toString() : first + "/" + second;
  }
}
