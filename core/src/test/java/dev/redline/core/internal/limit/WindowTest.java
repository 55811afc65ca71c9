package dev.redline.core.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WindowTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_763_230_000_000_000L;

  private static int burst(Trace trace, int requests) {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      passed += trace.acquire(1) ? 1 : 0;
    }
    return passed;
  }

  @Test
  void aSlidingWindowCountsTheShareOfTheWindowBefore() {
    Trace trace = new Trace(RateLimitBand.slidingWindow(10, Duration.ofSeconds(10)), START);
    assertThat(burst(trace, 20)).isEqualTo(10);
    trace.now += 15 * SECOND;
    assertThat(burst(trace, 20)).isEqualTo(5);
  }

  @Test
  void burstWithinAMillisecondIsAllowedUpToTheLimit() {
    Trace trace = new Trace(RateLimitBand.slidingWindow(5, Duration.ofSeconds(10)), START);
    int passed = 0;
    for (int i = 0; i < 50; i++) {
      trace.now += 20;
      passed += trace.acquire(1) ? 1 : 0;
    }
    assertThat(passed).isEqualTo(5);
  }

  @Test
  void slidingWindowStateIsThreeWords() {
    assertThat(BandArithmetic.of(RateLimitBand.slidingWindow(10, Duration.ofDays(1))).stateWords())
        .isEqualTo(3);
  }

  @Test
  void fixedWindowStartsAgainAtItsEnd() {
    Trace trace = new Trace(RateLimitBand.fixedWindow(3, Duration.ofSeconds(10)), START + SECOND);
    assertThat(burst(trace, 5)).isEqualTo(3);
    assertThat(trace.arithmetic.waitMicros(trace.view, 0, 1)).isEqualTo(9 * SECOND);
    assertThat(trace.arithmetic.resetMicros(trace.view, 0)).isEqualTo(9 * SECOND);
    trace.now += 9 * SECOND;
    assertThat(burst(trace, 5)).isEqualTo(3);
  }

  @Test
  void aWindowFromTheFutureBecomesTheCurrentOne() {
    Trace trace = new Trace(RateLimitBand.fixedWindow(3, Duration.ofSeconds(10)), START);
    assertThat(burst(trace, 3)).isEqualTo(3);
    trace.now -= 3600 * SECOND;
    assertThat(trace.acquire(1)).isFalse();
    trace.now += 10 * SECOND;
    assertThat(trace.acquire(1)).isTrue();
  }

  @Test
  void windowsBeforeTheEpochAreWindowsToo() {
    Trace trace = new Trace(RateLimitBand.fixedWindow(3, Duration.ofSeconds(10)), -SECOND);
    assertThat(burst(trace, 5)).isEqualTo(3);
    trace.now += SECOND;
    assertThat(burst(trace, 5)).isEqualTo(3);
  }
}
