package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long leased tokens can be spent. */
class LeaseBlockTest {
  private static final long NOW_MICROS = 1_763_230_000_000_000L;

  private static LeaseBlock block(
      long tokens, long debtMicros, long nowMicros, RateLimitBand band) {
    RateLimitKey key = new RateLimitKey(Nodes.rule("r", band), "somebody");
    Outcome outcome = new Outcome();
    outcome.reset(1);
    outcome.views()[0] = debtMicros;
    band(key).complete(outcome.views(), 0, nowMicros);
    outcome.pass(0);
    outcome.decide(true, nowMicros);
    return new LeaseBlock(1, key, tokens, outcome, 0, 0, LeaseRules.CURRENT);
  }

  private static BandArithmetic band(RateLimitKey key) {
    return key.limits().band(0);
  }

  /**
   * The last token dies when refill has replaced all of them, by a clock that is one part in 1024
   * faster than the local one and shows whole microseconds; the others die before, one by one.
   */
  @Test
  void tokensDieBeforeRefillReplacesThemAlsoByAFastClock() {
    for (RateLimitBand band :
        List.of(
            RateLimitBand.of(1000, 1, Duration.ofSeconds(1)),
            RateLimitBand.of(1000, 3, Duration.ofSeconds(1)),
            RateLimitBand.of(1_000_000, 7_000_003, Duration.ofMillis(1)),
            RateLimitBand.of(1_000_000_000_000L, 999_999_999_999L, Duration.ofDays(366)))) {
      for (long tokens : List.of(8L, 60L, band.capacity() / 16)) {
        check(band, tokens, 0);
        check(band, tokens, 500_000);
      }
    }
  }

  private static void check(RateLimitBand band, long tokens, long debtMicros) {
    LeaseBlock block = block(tokens, debtMicros, NOW_MICROS, band);
    BigInteger rate = BigInteger.valueOf(band.refillTokens());
    BigInteger period = BigInteger.valueOf(band.period().toNanos());
    BigInteger lastsNanos =
        BigInteger.valueOf(tokens)
            .multiply(period)
            .divide(rate)
            .add(BigInteger.valueOf(debtMicros * 1000));
    long life = lastsNanos.longValueExact();
    for (int part = 0; part <= 64; part++) {
      long nanos = life / 64 * part;
      long latest = nanos + nanos / 1024 + 1000;
      BigInteger left = BigInteger.valueOf(Math.max(0, life - latest));
      long notReplaced = left.multiply(rate).divide(period).longValueExact();
      assertThat(block.usable(nanos))
          .as("%s: %s of %s tokens after %s ns", band, notReplaced, tokens, nanos)
          .isBetween(0L, Math.min(tokens, notReplaced));
    }
    assertThat(block.usable(life)).isZero();
    if (debtMicros > life / 2000 && life < Duration.ofHours(1).toNanos()) {
      assertThat(block.usable(0)).isEqualTo(tokens);
    }
  }

  @Test
  void tokensOfWindowDieBeforeItsEndAlsoByAFastClock() {
    long window = Duration.ofSeconds(10).toNanos();
    for (RateLimitBand band :
        List.of(
            RateLimitBand.fixedWindow(1000, Duration.ofSeconds(10)),
            RateLimitBand.slidingWindow(1000, Duration.ofSeconds(10)))) {
      LeaseBlock block = block(60, 0, NOW_MICROS / 10_000_000 * 10_000_000, band);
      assertThat(block.usable(0)).isEqualTo(60);
      assertThat(block.usable(window / 2)).isEqualTo(60);
      assertThat(block.usable(window - window / 1024 - 999)).isZero();
    }
  }
}
