package dev.redline.core.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "1s, PT1S",
    "1m, PT1M",
    "24h, PT24H",
    "30d, PT720H",
    "PT10M, PT10M",
    "pt1h, PT1H"
  })
  void readsTheUsualSpellings(String text, Duration expected) {
    assertThat(DurationText.parse(text)).isEqualTo(expected);
  }

  @Test
  void rejectsNumberWithoutUnitAndSuggestsOne() {
    assertThatThrownBy(() -> DurationText.parse("20")).hasMessageContaining("20s or 20ms");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "s", "1 fortnight", "1M", "999999999999999999d", "1.5s", "-1s", "P1X"})
  void otherTextIsNoDuration(String text) {
    assertThatThrownBy(() -> DurationText.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
