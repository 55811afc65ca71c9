package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class QueueLimitTest {
  private static final long MILLI = 1_000_000;

  private final QueueLimit limit = new QueueLimit(64, 10_000, Duration.ofMillis(50));

  /** Lets Redis decide steadily for a time while others wait. */
  private long decide(long from, int perMilli, int millis) {
    for (int i = 0; i < millis; i++) {
      limit.decided(perMilli, from + i * MILLI);
    }
    return from + millis * MILLI;
  }

  @Test
  void isTheLargestBeforeAnythingIsMeasured() {
    assertThat(limit.limit()).isEqualTo(10_000);
  }

  @Test
  void followsRateOfBusyStore() {
    assertThat(limit.tryEnter()).isTrue();
    decide(0, 100, 100);
    // 100,000 per second for half of 50 ms.
    assertThat(limit.limit()).isEqualTo(2500);
  }

  @Test
  void ignoresRateOfIdleStore() {
    decide(0, 1, 1000);
    assertThat(limit.limit()).isEqualTo(10_000);
  }

  @Test
  void survivesShortPause() {
    assertThat(limit.tryEnter()).isTrue();
    long paused = decide(0, 100, 100) + 40 * MILLI;
    decide(paused, 100, 5);
    assertThat(limit.limit()).isGreaterThan(2200);
  }

  @Test
  void shrinksWhenRedisStaysSlow() {
    assertThat(limit.tryEnter()).isTrue();
    long slow = decide(0, 100, 100);
    decide(slow, 1, 3000);
    assertThat(limit.limit()).isEqualTo(64);
    for (int i = 1; i < 64; i++) {
      assertThat(limit.tryEnter()).isTrue();
    }
    assertThat(limit.tryEnter()).isFalse();
    limit.leave(1);
    assertThat(limit.tryEnter()).isTrue();
  }
}
