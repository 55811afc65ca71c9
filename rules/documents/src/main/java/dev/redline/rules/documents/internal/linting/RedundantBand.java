package dev.redline.rules.documents.internal.linting;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigInteger;

/** Tests whether a band can never deny a request that another band of the rule allows. */
final class RedundantBand {
  /** Up to this product of capacity and period (µs) a sliding window counts exactly. */
  private static final BigInteger EXACT_SLIDING = BigInteger.ONE.shiftLeft(50);

  private RedundantBand() {}

  /** Returns true only if {@code tight} denies every request that {@code loose} denies. */
  static boolean test(RateLimitBand loose, RateLimitBand tight) {
    if (loose.algorithm() != tight.algorithm() || loose.capacity() < tight.capacity()) {
      return false;
    }
    return switch (loose.algorithm()) {
      case TOKEN_BUCKET -> isFaster(loose, tight);
      case FIXED_WINDOW -> tight.periodMicros() % loose.periodMicros() == 0;
      case SLIDING_WINDOW ->
          loose.periodMicros() == tight.periodMicros() && countsSingleTicks(loose);
    };
  }

  private static boolean isFaster(RateLimitBand loose, RateLimitBand tight) {
    BigInteger looseRate = product(loose.refillTokens(), tight.periodMicros());
    BigInteger tightRate = product(tight.refillTokens(), loose.periodMicros());
    return loose.refill() == Refill.CONTINUOUS
        && tight.refill() == Refill.CONTINUOUS
        && looseRate.compareTo(tightRate) >= 0;
  }

  private static boolean countsSingleTicks(RateLimitBand band) {
    return band.algorithm() == Algorithm.SLIDING_WINDOW
        && product(band.capacity(), band.periodMicros()).compareTo(EXACT_SLIDING) <= 0;
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
