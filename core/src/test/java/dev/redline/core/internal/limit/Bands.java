package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.DomainContextBase;

/** Bands over the whole supported range, primes and extremes preferred, and traces over them. */
public final class Bands extends DomainContextBase {
  private static final long MIN_PERIOD = RateLimitBand.MIN_PERIOD.toNanos() / 1000;
  private static final long MAX_PERIOD = RateLimitBand.MAX_PERIOD.toNanos() / 1000;
  private static final BigInteger MAX_HORIZON =
      BigInteger.valueOf(RateLimitBand.MAX_TIME_TO_FULL.toSeconds() * 1_000_000);

  /** How far time moves before a step, and what the step asks for; both relative to the band. */
  public record Step(Move move, double far, Ask ask, double much) {}

  /** How time moves. */
  public enum Move {
    STAY,
    ONE_MICRO,
    LITTLE,
    WITHIN_HORIZON,
    TO_THE_WAIT,
    JUST_BEFORE_THE_WAIT,
    TO_THE_RESET,
    JUST_BEFORE_THE_RESET,
    BEYOND_HORIZON,
    BACK_A_LITTLE,
    BACK_FAR
  }

  /** What is asked for. */
  public enum Ask {
    ONE,
    FEW,
    PART_OF_CAPACITY,
    WHAT_IS_LEFT,
    ONE_MORE_THAN_IS_LEFT,
    CAPACITY
  }

  @Provide
  Arbitrary<RateLimitBand> bands() {
    return Combinators.combine(
            Arbitraries.of(Algorithm.class),
            Arbitraries.of(Refill.class),
            tokens(),
            Arbitraries.longs().between(MIN_PERIOD, MAX_PERIOD).map(Bands::primeBelow),
            tokens())
        .as(Bands::band);
  }

  @Provide
  Arbitrary<List<Step>> traces() {
    Arbitrary<Double> share = Arbitraries.doubles().between(0, 1);
    return Combinators.combine(Arbitraries.of(Move.class), share, Arbitraries.of(Ask.class), share)
        .as(Step::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(40);
  }

  private static Arbitrary<Long> tokens() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1, 20),
        Arbitraries.longs().between(1, RateLimitBand.MAX_TOKENS).map(Bands::primeBelow),
        Arbitraries.of(1L, 2L, 999_999_999_989L, RateLimitBand.MAX_TOKENS));
  }

  /** Every other number becomes the nearest probable prime below: no common divisor helps. */
  private static long primeBelow(long value) {
    long candidate = value;
    while (value % 2 != 0 && candidate > MIN_PERIOD) {
      if (BigInteger.valueOf(candidate).isProbablePrime(20)) {
        return candidate;
      }
      candidate--;
    }
    return value;
  }

  private static RateLimitBand band(
      Algorithm algorithm, Refill refill, long capacity, long periodMicros, long tokens) {
    RateLimitBand.Builder builder =
        RateLimitBand.builder()
            .algorithm(algorithm)
            .capacity(capacity)
            .period(Duration.ofNanos(periodMicros * 1000));
    if (algorithm != Algorithm.TOKEN_BUCKET) {
      return builder.build();
    }
    BigInteger least =
        BigInteger.valueOf(capacity)
            .multiply(BigInteger.valueOf(periodMicros))
            .divide(MAX_HORIZON)
            .add(BigInteger.ONE);
    return builder.refill(refill).refillTokens(Math.max(tokens, least.longValueExact())).build();
  }
}
