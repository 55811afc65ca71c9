package dev.redline.rules.documents.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InlineLimitsTest {
  private static final RateLimitBand TEN = RateLimitBand.of(10, 10, Duration.ofSeconds(1));

  @Test
  void readsLimitsAsInRules() {
    assertThat(InlineLimits.parse("10/s", null)).containsExactly(TEN);
    assertThat(InlineLimits.parse(List.of("10/s", "5/m burst 1"), null))
        .containsExactly(TEN, RateLimitBand.of(6, 5, Duration.ofMinutes(1)));
  }

  @Test
  void readsBandsAsInRulesForAnyNumberType() {
    Map<String, Object> band = Map.of("capacity", 10.0, "refillTokensPerSecond", 2.5);
    assertThat(InlineLimits.parse(null, List.of(band)))
        .containsExactly(RateLimitBand.of(10, 5, Duration.ofSeconds(2)));
    assertThat(InlineLimits.parse("10/s", List.of(Map.of("label", "x", "limit", "1/s"))))
        .containsExactly(TEN, RateLimitBand.of(1, 1, Duration.ofSeconds(1)).withLabel("x"));
  }

  @Test
  void appliesAlgorithmToAllLimits() {
    assertThat(InlineLimits.parse("10/s", null, "fixed-window").get(0).algorithm())
        .isEqualTo(Algorithm.FIXED_WINDOW);
  }

  @Test
  void namesTheFieldOfAMistake() {
    assertThatThrownBy(() -> InlineLimits.parse(10, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit must be N/PERIOD");
    assertThatThrownBy(
            () -> InlineLimits.parse(null, List.of(Map.of("capacity", 0, "window", "1s"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bands: band 1: capacity must be at least 1, was 0");
    assertThatThrownBy(
            () -> InlineLimits.parse(null, List.of(Map.of("capacty", 1, "window", "1s"))))
        .hasMessage("bands: band 1: unknown field 'capacty' (value '1'); did you mean 'capacity'?");
    assertThatThrownBy(() -> InlineLimits.parse(null, "10/s"))
        .hasMessage("bands must be a list of bands, was '10/s'");
    assertThatThrownBy(() -> InlineLimits.parse(null, List.of("10/s")))
        .hasMessage("bands: band 1 must be a mapping, was '10/s'");
    assertThatThrownBy(() -> InlineLimits.parse("${RATE}/s", null)).hasMessageContaining("limit");
    assertThatThrownBy(() -> InlineLimits.parse(null, List.of()))
        .hasMessage("limit or bands is required");
  }

  @Test
  void rejectsMoreThan64Limits() {
    Map<String, Object> band = Map.of("capacity", 1, "window", "1s");
    assertThat(InlineLimits.parse(Collections.nCopies(32, "1/s"), Collections.nCopies(32, band)))
        .hasSize(64);
    assertThatThrownBy(() -> InlineLimits.parse(Collections.nCopies(65, "1/s"), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit must have at most 64 limits, had 65");
    assertThatThrownBy(() -> InlineLimits.parse(null, Collections.nCopies(60_000, band)))
        .hasMessage("bands must have at most 64 limits, had 60000");
    assertThatThrownBy(() -> InlineLimits.parse("1/s", Collections.nCopies(64, band)))
        .hasMessage("limit and bands must have at most 64 limits, had 65");
  }
}
