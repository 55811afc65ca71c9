package dev.redline.core.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_763_230_000_000_000L;

  private static int countPassing(Trace trace, int requests, long everyMicros) {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      trace.now += everyMicros;
      passed += trace.acquire(1) ? 1 : 0;
    }
    return passed;
  }

  @Test
  void allowsTenAndDeniesTheEleventhForOneSecond() {
    Trace trace = new Trace(RateLimitBand.of(10, 1, Duration.ofSeconds(1)), START);
    for (int left = 9; left >= 0; left--) {
      assertThat(trace.acquire(1)).isTrue();
      trace.look();
      assertThat(trace.remaining()).isEqualTo(left);
    }
    assertThat(trace.acquire(1)).isFalse();
    assertThat(trace.arithmetic.waitMicros(trace.view, 0, 1)).isEqualTo(SECOND);
    trace.now += SECOND;
    assertThat(trace.acquire(1)).isTrue();
    assertThat(trace.acquire(1)).isFalse();
  }

  @Test
  void noRemainderIsLostBetweenRequestsThatComeSlightlyTooEarly() {
    Trace trace = new Trace(RateLimitBand.of(10, 10, Duration.ofSeconds(10)), START);
    assertThat(trace.acquire(10)).isTrue();
    assertThat(countPassing(trace, 12, 950_000)).isEqualTo(11);
  }

  @Test
  void denialsDoNotDelayOrAddTokens() {
    Trace trace = new Trace(RateLimitBand.of(10, 1, Duration.ofSeconds(1)), START);
    assertThat(trace.acquire(10)).isTrue();
    assertThat(countPassing(trace, 100, 10_000)).isEqualTo(1);
  }

  @Test
  void aMillionRefillsOfAMillisecondAddUpToAThousandTokens() {
    Trace trace = new Trace(RateLimitBand.of(2000, 1, Duration.ofSeconds(1)), START);
    assertThat(trace.acquire(2000)).isTrue();
    int taken = countPassing(trace, 1_000_000, 1000);
    assertThat(taken).isEqualTo(1000);
    trace.look();
    assertThat(trace.remaining()).isZero();
    assertThat(trace.arithmetic.waitMicros(trace.view, 0, 1)).isEqualTo(SECOND);
  }

  @Test
  void aMillionRefillsAddUpWhereATokenLastsNoWholeMicroseconds() {
    Trace trace = new Trace(RateLimitBand.of(7000, 7, Duration.ofSeconds(3)), START);
    assertThat(trace.acquire(7000)).isTrue();
    assertThat(countPassing(trace, 1_000_000, 3000)).isEqualTo(7000);
  }

  @Test
  void intervalRefillComesInWholePeriodsSinceTheBucketLeftFull() {
    RateLimitBand band =
        RateLimitBand.builder()
            .capacity(10)
            .refillTokens(3)
            .period(Duration.ofMinutes(1))
            .refill(Refill.INTERVAL)
            .build();
    Trace trace = new Trace(band, START + 123);
    assertThat(trace.acquire(10)).isTrue();
    trace.now += 60 * SECOND - 1;
    assertThat(trace.acquire(1)).isFalse();
    assertThat(trace.arithmetic.waitMicros(trace.view, 0, 1)).isEqualTo(1);
    assertThat(trace.arithmetic.waitMicros(trace.view, 0, 4)).isEqualTo(60 * SECOND + 1);
    trace.now += 1;
    assertThat(trace.acquire(3)).isTrue();
    assertThat(trace.acquire(1)).isFalse();
    assertThat(trace.arithmetic.resetMicros(trace.view, 0)).isEqualTo(4 * 60 * SECOND);
    assertThat(trace.arithmetic.horizonMicros()).isEqualTo(4 * 60 * SECOND);
  }

  @Test
  void theLargestBandCountsToTheLastToken() {
    long most = RateLimitBand.MAX_TOKENS;
    Trace trace = new Trace(RateLimitBand.of(most, most, RateLimitBand.MAX_PERIOD), START);
    assertThat(trace.acquire(most)).isTrue();
    assertThat(trace.acquire(1)).isFalse();
    long year = RateLimitBand.MAX_PERIOD.toNanos() / 1000;
    trace.now += year - 1;
    assertThat(trace.acquire(most)).isFalse();
    assertThat(trace.remaining()).isEqualTo(most - 1);
    trace.now += 1;
    assertThat(trace.acquire(most)).isTrue();
  }

  @Test
  void aClockThatStepsBackAnHourDelaysACallerByNoMoreThanTheTimeToFull() {
    Trace trace = new Trace(RateLimitBand.of(10, 1, Duration.ofSeconds(1)), START);
    assertThat(trace.acquire(10)).isTrue();
    trace.now -= 3600 * SECOND;
    assertThat(trace.acquire(1)).isFalse();
    assertThat(countPassing(trace, 10, SECOND)).isEqualTo(10);
  }
}
