package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualClockTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-03-04T05:06:07.000008Z"));

  @Test
  void standsStillUntilMoved() {
    assertThat(clock.now()).isEqualTo("2026-03-04T05:06:07.000008Z");
    assertThat(clock.nowMicros()).isEqualTo(clock.nowMicros());
  }

  @Test
  void countsMicroseconds() {
    long before = clock.nowMicros();
    clock.advance(Duration.ofNanos(1000));
    assertThat(clock.nowMicros()).isEqualTo(before + 1);
    clock.advance(Duration.ofDays(366));
    assertThat(clock.nowMicros()).isEqualTo(before + 1 + 366L * 86_400 * 1_000_000);
  }

  @Test
  void stepsBack() {
    clock.stepBack(Duration.ofHours(1));
    assertThat(clock.now()).isEqualTo("2026-03-04T04:06:07.000008Z");
  }

  @Test
  void isSetToAnyMoment() {
    clock.set(Instant.EPOCH.minusSeconds(1));
    assertThat(clock.nowMicros()).isEqualTo(-1_000_000);
  }
}
