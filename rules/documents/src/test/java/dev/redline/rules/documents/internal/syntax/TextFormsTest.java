package dev.redline.rules.documents.internal.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits and durations written as one text. */
class TextFormsTest {
  @ParameterizedTest
  @CsvSource({
    "10/s, 10, 10, PT1S",
    "100/m, 100, 100, PT1M",
    "1000/h, 1000, 1000, PT1H",
    "5/d, 5, 5, PT24H",
    "100/10s, 100, 100, PT10S",
    "100/500ms, 100, 100, PT0.5S",
    "100/PT1M, 100, 100, PT1M",
    "10/s burst 5, 15, 10, PT1S",
    "1/s burst 0, 1, 1, PT1S",
    "' 10 / s  burst  5 ', 15, 10, PT1S",
  })
  void readsTokensPeriodAndBurstOfALimit(String text, long capacity, long tokens, Duration period) {
    assertThat(LimitSyntax.parse(text)).isEqualTo(RateLimitBand.of(capacity, tokens, period));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "/s",
        "10/",
        "ten/s",
        "10/x",
        "10/s burst",
        "10/s bust 5",
        "-1/s",
        "0/s",
        "10/0s",
        "10/400d",
        "1.5/s",
        "10/s burst 9999999999999",
        "99999999999999999999/s",
      })
  void rejectsInvalidLimit(String text) {
    assertThatThrownBy(() -> LimitSyntax.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({"10/min, 10/m", "10/sec, 10/s", "10, 10/s", "5/day, 5/d", "7/hour, 7/h"})
  void suggestsCorrectionOfCommonSlips(String text, String meant) {
    assertThatThrownBy(() -> LimitSyntax.parse(text))
        .isInstanceOfSatisfying(
            MisspeltException.class, e -> assertThat(e.suggestion()).contains(meant));
  }

  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "1s, PT1S",
    "1m, PT1M",
    "24h, PT24H",
    "30d, PT720H",
    "PT1H30M, PT1H30M",
    "P1D, PT24H",
    "pt5s, PT5S",
    "PT0.000001S, PT0.000001S",
  })
  void readsDurationsWithUnitOrIso(String text, Duration duration) {
    assertThat(DurationSyntax.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "s", "1 parsec", "1w", "1.5s", "1h30m", "P", "PT", "-1s", "1M", "1mo"})
  void rejectsInvalidDuration(String text) {
    assertThatThrownBy(() -> DurationSyntax.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void rejectsBareNumberWithAHint() {
    assertThatThrownBy(() -> DurationSyntax.parse("60"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a duration needs a unit, such as 60s or 60ms, was '60'");
  }

  @Test
  void rejectsNumbersThatOverflow() {
    assertThatThrownBy(() -> DurationSyntax.parse("999999999999999999d"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1ms", "1500ms", "1s", "90s", "1m", "36h", "1d", "366d", "PT0.0015S"})
  void readsFormattedDurationsUnchanged(String text) {
    assertThat(DurationSyntax.format(DurationSyntax.parse(text))).isEqualTo(text);
  }
}
