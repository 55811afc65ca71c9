package dev.redline.rules.documents.internal.syntax;

import dev.redline.core.limit.RateLimitBand;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Tokens per second as whole tokens per period: 0.5 is 1 per 2 s, exactly.
 *
 * @param tokens how many tokens come back per period
 * @param period the period
 */
public record RefillRate(long tokens, Duration period) {
  private static final BigInteger MAX_TOKENS = BigInteger.valueOf(RateLimitBand.MAX_TOKENS);
  private static final BigInteger MAX_SECONDS =
      BigInteger.valueOf(RateLimitBand.MAX_PERIOD.toSeconds());
  private static final long MIN_MICROS = RateLimitBand.MIN_PERIOD.toNanos() / 1000;
  private static final BigInteger MICROS = BigInteger.valueOf(1_000_000);
  private static final BigDecimal SLOWEST =
      BigDecimal.ONE.divide(new BigDecimal(MAX_SECONDS), MathContext.DECIMAL64);

  /** Returns the rate for a number of tokens per second, which may have a fraction. */
  public static RefillRate perSecond(BigDecimal written) {
    if (written.compareTo(SLOWEST) < 0 || written.compareTo(new BigDecimal(MAX_TOKENS)) > 0) {
      throw new IllegalArgumentException(
          "refillTokensPerSecond must be between 1 per 366d ("
              + SLOWEST.round(new MathContext(3))
              + ") and 10^12, was "
              + written);
    }
    // The bounds above and this rounding keep the integers small for any exponent.
    BigDecimal rate = written.round(MathContext.DECIMAL128).stripTrailingZeros();
    BigInteger tokens = rate.scale() > 0 ? rate.unscaledValue() : rate.toBigInteger();
    BigInteger seconds = BigInteger.TEN.pow(Math.max(rate.scale(), 0));
    BigInteger common = tokens.gcd(seconds);
    tokens = tokens.divide(common);
    seconds = seconds.divide(common);
    if (tokens.compareTo(MAX_TOKENS) <= 0 && seconds.compareTo(MAX_SECONDS) <= 0) {
      return new RefillRate(tokens.longValue(), Duration.ofSeconds(seconds.longValue()));
    }
    return closest(tokens, seconds.multiply(MICROS));
  }

  /**
   * Returns the best whole tokens per whole microseconds in range: the last convergent of the
   * continued fraction that still fits. It is closer to the written number than the precision of a
   * double.
   */
  private static RefillRate closest(BigInteger tokens, BigInteger micros) {
    BigInteger maxMicros = MAX_SECONDS.multiply(MICROS);
    BigInteger dividend = tokens;
    BigInteger divisor = micros;
    BigInteger lastTokens = BigInteger.ZERO;
    BigInteger lastMicros = BigInteger.ONE;
    BigInteger bestTokens = BigInteger.ONE;
    BigInteger bestMicros = BigInteger.ZERO;
    while (divisor.signum() != 0) {
      BigInteger[] step = dividend.divideAndRemainder(divisor);
      BigInteger nextTokens = step[0].multiply(bestTokens).add(lastTokens);
      BigInteger nextMicros = step[0].multiply(bestMicros).add(lastMicros);
      if (nextTokens.compareTo(MAX_TOKENS) > 0 || nextMicros.compareTo(maxMicros) > 0) {
        break;
      }
      lastTokens = bestTokens;
      lastMicros = bestMicros;
      bestTokens = nextTokens;
      bestMicros = nextMicros;
      dividend = divisor;
      divisor = step[1];
    }
    long period = bestMicros.longValue();
    long times = Math.max(1, (MIN_MICROS + period - 1) / period);
    return new RefillRate(
        bestTokens.longValue() * times, Duration.of(period * times, ChronoUnit.MICROS));
  }
}
