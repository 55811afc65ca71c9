package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * A part of a band: capacity and rate both that many times smaller, rounded down, but never less
 * than one token.
 */
public final class BandShare {
  private static final BigDecimal LONGEST =
      BigDecimal.valueOf(RateLimitBand.MAX_PERIOD.toNanos() / 1000);

  private BandShare() {}

  /** Returns the part of a band; the share is above 0 and up to 1. */
  public static RateLimitBand of(RateLimitBand band, double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("a share must be above 0 and up to 1, was " + share);
    }
    // By its decimal digits, as it was written: 0.29 of 100 is 29, not 28.
    BigDecimal part = BigDecimal.valueOf(share);
    RateLimitBand.Builder scaled =
        RateLimitBand.builder()
            .algorithm(band.algorithm())
            .refill(band.refill())
            .capacity(atLeastOne(band.capacity(), part));
    band.label().ifPresent(scaled::label);
    if (band.algorithm() != Algorithm.TOKEN_BUCKET) {
      return scaled.period(band.period()).build();
    }
    BigDecimal tokens = BigDecimal.valueOf(band.refillTokens()).multiply(part);
    boolean whole = tokens.stripTrailingZeros().scale() <= 0;
    boolean steps = band.refill() == Refill.INTERVAL && tokens.compareTo(BigDecimal.ONE) > 0;
    if (whole || steps) {
      return scaled.refillTokens(tokens.longValue()).period(band.period()).build();
    }
    // Fewer tokens than can be counted come back as often as before more seldom: the same rate.
    BigDecimal period =
        BigDecimal.valueOf(band.periodMicros()).divide(part, 0, RoundingMode.CEILING);
    return scaled
        .refillTokens(band.refillTokens())
        .period(Duration.of(period.min(LONGEST).longValue(), ChronoUnit.MICROS))
        .build();
  }

  private static long atLeastOne(long tokens, BigDecimal part) {
    return Math.max(1, BigDecimal.valueOf(tokens).multiply(part).longValue());
  }
}
