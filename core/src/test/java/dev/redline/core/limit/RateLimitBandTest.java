package dev.redline.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RateLimitBandTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static void rejects(Runnable building, String... words) {
    assertThatIllegalArgumentException()
        .isThrownBy(building::run)
        .satisfies(e -> assertThat(e.getMessage()).contains(words));
  }

  @Test
  void refillsItsCapacityByDefault() {
    RateLimitBand band = RateLimitBand.builder().capacity(5).period(SECOND).build();
    assertThat(band.refillTokens()).isEqualTo(5);
    assertThat(band.algorithm()).isEqualTo(Algorithm.TOKEN_BUCKET);
    assertThat(band.refill()).isEqualTo(Refill.CONTINUOUS);
    assertThat(band.label()).isEmpty();
  }

  @Test
  void parsesALimitInOneLine() {
    assertThat(RateLimitBand.parse("10/s burst 20")).isEqualTo(RateLimitBand.of(30, 10, SECOND));
    assertThat(RateLimitBand.parse("10/s")).isEqualTo(RateLimitBand.of(10, 10, SECOND));
    assertThat(RateLimitBand.parse(" 100 / 10s  BURST 5 "))
        .isEqualTo(RateLimitBand.of(105, 100, Duration.ofSeconds(10)));
    assertThat(RateLimitBand.parse("5/d", Algorithm.FIXED_WINDOW))
        .isEqualTo(RateLimitBand.fixedWindow(5, Duration.ofDays(1)));
  }

  @Test
  void rejectsWhatIsNoLimitWithItsText() {
    rejects(() -> RateLimitBand.parse("10"), "N/PERIOD [burst B]", "'10'");
    rejects(() -> RateLimitBand.parse(null), "N/PERIOD [burst B]", "'null'");
    rejects(() -> RateLimitBand.parse("10/week"), "'10/week'", "PERIOD must be s, m, h, d");
    rejects(() -> RateLimitBand.parse("0/s"), "'0/s'", "at least 1");
    rejects(() -> RateLimitBand.parse("10/400d"), "'10/400d'", "1ms and 366d");
    rejects(() -> RateLimitBand.parse("10/s burst 999999999999"), "burst 999999999999", "at most");
    rejects(() -> RateLimitBand.parse("1/d burst 999999"), "100 years");
    rejects(() -> RateLimitBand.parse("5/s burst 1", Algorithm.FIXED_WINDOW), "leave it out");
  }

  @Test
  void rejectsNumbersOutOfRangeWithTheirValue() {
    rejects(() -> RateLimitBand.of(0, 1, SECOND), "capacity must be at least 1", "was 0");
    rejects(() -> RateLimitBand.of(-1, 1, SECOND), "capacity", "was -1");
    rejects(() -> RateLimitBand.of(1_000_000_000_001L, 1, SECOND), "capacity must be at most");
    rejects(() -> RateLimitBand.of(1, 0, SECOND), "refillTokens must be at least 1");
    rejects(() -> RateLimitBand.of(1, 1, Duration.ofNanos(999_000)), "1ms and 366d");
    rejects(() -> RateLimitBand.of(1, 1, Duration.ofDays(366).plusNanos(1)), "1ms and 366d");
    rejects(() -> RateLimitBand.of(1, 1, Duration.ofSeconds(-1)), "1ms and 366d");
    rejects(() -> RateLimitBand.of(1, 1, Duration.ofNanos(1_000_001)), "whole microseconds");
  }

  @Test
  void theWholeRangeIsAccepted() {
    assertThat(RateLimitBand.of(1, 1, Duration.ofMillis(1)).periodMicros()).isEqualTo(1000);
    assertThat(RateLimitBand.of(99, 1, Duration.ofDays(366)).capacity()).isEqualTo(99);
    assertThat(
            RateLimitBand.of(RateLimitBand.MAX_TOKENS, RateLimitBand.MAX_TOKENS, SECOND).capacity())
        .isEqualTo(1_000_000_000_000L);
  }

  @Test
  void rejectsBandThatFillsInMoreThanACentury() {
    rejects(() -> RateLimitBand.of(101, 1, Duration.ofDays(366)), "100 years", "101");
    assertThat(RateLimitBand.slidingWindow(1_000_000, Duration.ofDays(366)).capacity())
        .isEqualTo(1_000_000);
  }

  @Test
  void capacityAndPeriodAreRequired() {
    rejects(() -> RateLimitBand.builder().period(SECOND).build(), "capacity is required");
    rejects(() -> RateLimitBand.builder().capacity(1).build(), "period is required");
  }

  @Test
  void rejectsRefillOfAWindow() {
    rejects(
        () ->
            RateLimitBand.builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .capacity(10)
                .refillTokens(5)
                .period(SECOND)
                .build(),
        "refillTokens has no meaning for FIXED_WINDOW");
  }

  @Test
  void labelsAreOfTheSameCharactersAsIds() {
    rejects(() -> RateLimitBand.builder().label("per second"), "label", "'per second'");
    rejects(() -> RateLimitBand.builder().label(""), "label");
    rejects(() -> RateLimitBand.builder().label("x".repeat(129)), "label");
  }

  @Test
  void unlabelledBandsAreNamedAfterTheirOwner() {
    RateLimitBand bare = RateLimitBand.of(1, 1, SECOND);
    RateLimitBand named = bare.withLabel("own");
    assertThat(RateLimitBand.labelled("r", List.of(bare))).containsExactly(bare.withLabel("r"));
    assertThat(RateLimitBand.labelled("r", List.of(bare, named, bare)))
        .containsExactly(bare.withLabel("r-1"), named, bare.withLabel("r-3"));
    rejects(() -> RateLimitBand.labelled("r", List.of(named, named)), "'own'", "two bands");
    rejects(() -> RateLimitBand.labelled("r/x", List.of(bare)), "'r/x'");
  }

  @Test
  void equalityIsByValue() {
    assertThat(RateLimitBand.of(1, 1, SECOND))
        .isEqualTo(RateLimitBand.of(1, 1, Duration.parse("PT1.000S")))
        .hasSameHashCodeAs(RateLimitBand.of(1, 1, SECOND))
        .isNotEqualTo(RateLimitBand.of(2, 1, SECOND))
        .isNotEqualTo(RateLimitBand.fixedWindow(1, SECOND));
  }
}
