package dev.redline.rules.documents;

import static dev.redline.rules.documents.Documents.errorWith;
import static dev.redline.rules.documents.Documents.ruleWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.rules.documents.internal.syntax.DurationSyntax;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BandSpellingsTest {
  private static RateLimitBand band(String fields) {
    return ruleWith("bands: [{ " + fields + " }]").bands().get(0);
  }

  private static RateLimitBand bucket(long capacity, long tokens, Duration period) {
    return RateLimitBand.of(capacity, tokens, period).withLabel("r");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "capacity: 15, refillTokens: 10, refillPeriod: 1s",
        "capacity: 15, refillTokens: 10, refillPeriod: PT1S",
        "capacity: 15, refillTokens: 10, refillSeconds: 1",
        "capacity: 15, refillTokens: 10, window: 1000ms",
        "capacity: 15, refillTokens: 10, windowMs: 1000",
        "capacity: 15, refillTokensPerSecond: 10",
        "capacity: 15, refillTokensPerSecond: 10.0",
        "limit: 10, window: 1s, burst: 5",
        "limit: 10, windowMs: 1000, burst: 5",
        "limit: 10/s burst 5",
        "label: r, limit: 10/s burst 5",
      })
  void readsEverySpellingAsTheSameBucket(String spelling) {
    assertThat(band(spelling)).isEqualTo(bucket(15, 10, Duration.ofSeconds(1)));
  }

  @Test
  void refillTokensDefaultToTheCapacity() {
    assertThat(band("capacity: 7, refillPeriod: 2m"))
        .isEqualTo(bucket(7, 7, Duration.ofMinutes(2)));
    assertThat(band("limit: 7, window: 2m")).isEqualTo(bucket(7, 7, Duration.ofMinutes(2)));
  }

  @Test
  void readsFractionsOfSecondsExactly() {
    assertThat(band("capacity: 7, refillSeconds: 0.25").period()).isEqualTo(Duration.ofMillis(250));
    assertThat(band("capacity: 7, windowMs: 1.5").periodMicros()).isEqualTo(1500);
  }

  @ParameterizedTest
  @CsvSource({"0.5, 1, 2s", "2.5, 5, 2s", "0.1, 1, 10s", "1.25, 5, 4s", "0.001, 1, 1000s"})
  void convertsFractionalRatesToWholeTokens(String rate, long tokens, String period) {
    assertThat(band("capacity: 100, refillTokensPerSecond: " + rate))
        .isEqualTo(bucket(100, tokens, DurationSyntax.parse(period)));
  }

  @Test
  void readsIntervalRefill() {
    RateLimitBand interval = band("capacity: 7, refillPeriod: 1s, refill: interval");
    assertThat(interval.refill()).isEqualTo(Refill.INTERVAL);
    assertThat(band("limit: 7/s, refill: INTERVAL")).isEqualTo(interval);
  }

  @Test
  void innermostAlgorithmWins() {
    var rule =
        ruleWith(
            "algorithm: sliding-window",
            "limit: 5/m",
            "bands:",
            "  - { capacity: 10, window: 1h }",
            "  - { capacity: 20, window: 1d, algorithm: FIXED_WINDOW }");
    assertThat(rule.bands().stream().map(RateLimitBand::algorithm))
        .containsExactly(
            Algorithm.SLIDING_WINDOW, Algorithm.SLIDING_WINDOW, Algorithm.FIXED_WINDOW);
    assertThat(rule.bands().get(0))
        .isEqualTo(RateLimitBand.slidingWindow(5, Duration.ofMinutes(1)).withLabel("r-1"));
  }

  @Test
  void appliesAlgorithmOfAPlanToItsBands() {
    var plan =
        Documents.plan(
            """
            plans:
              - id: daily
                algorithm: SLIDING_WINDOW
                bands: [{ capacity: 10000, window: 24h }]
            """);
    assertThat(plan.bands())
        .containsExactly(
            RateLimitBand.slidingWindow(10000, Duration.ofHours(24)).withLabel("daily"));
  }

  @Test
  void numbersUnlabelledBands() {
    var plan = Documents.plan("plans: [{ id: p, limit: [1/s, 2/m], bands: [{ limit: 3/h }] }]");
    assertThat(plan.bands().stream().map(band -> band.label().orElseThrow()))
        .containsExactly("p-1", "p-2", "p-3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "capacity: 0, refillPeriod: 1s|capacity|capacity must be at least 1, was 0",
        "capacity: 1000000000001, refillPeriod: 1s|capacity|capacity must be at most"
            + " 1000000000000, was 1000000000001",
        "capacity: ten, refillPeriod: 1s|capacity|capacity must be a whole number, was 'ten'",
        "refillPeriod: 1s|capacity|capacity is required",
        "capacity: 5|refillPeriod|refillPeriod is required",
        "limit: 5|window|window is required",
        "capacity: 5, algorithm: FIXED_WINDOW|window|window is required",
        "capacity: 5, refillPeriod: 60|refillPeriod|refillPeriod: a duration needs a unit, such as"
            + " 60s or 60ms, was '60'",
        "capacity: 5, window: soon|window|window: not a duration: 'soon'; write 500ms, 1s, 1m, 24h,"
            + " 30d or ISO-8601",
        "capacity: 5, refillPeriod: 0s|refillPeriod|refillPeriod: period must be between 1ms and"
            + " 366d, was PT0S (written as '0s')",
        "capacity: 5, refillPeriod: 367d|refillPeriod|refillPeriod: period must be between 1ms and"
            + " 366d, was PT8808H (written as '367d')",
        "capacity: 5, refillSeconds: -1|refillSeconds|refillSeconds: period must be between 1ms"
            + " and 366d, was -1",
        "capacity: 5, refillSeconds: 1e999|refillSeconds|refillSeconds: period must be between"
            + " 1ms and 366d, was 1E+999 (written as '1e999')",
        "capacity: 5, refillPeriod: 1s, window: 1s|window|'window' and 'refillPeriod' both say how"
            + " fast; keep one",
        "capacity: 5, limit: 5, window: 1s|limit|'limit' and 'capacity' both say how many; keep"
            + " one",
        "limit: 5, window: 1s, refillTokens: 3|refillTokens|'refillTokens' goes with 'capacity',"
            + " not with 'limit'",
        "capacity: 5, window: 1s, burst: 3|burst|'burst' goes with 'limit'; capacity already"
            + " includes it",
        "capacity: 5, refillTokensPerSecond: 1, refillTokens: 2|refillTokens|'refillTokens' cannot"
            + " stand beside 'refillTokensPerSecond'; keep one",
        "limit: 5, window: 1s, burst: 3, algorithm: FIXED_WINDOW|burst|burst has no meaning for"
            + " FIXED_WINDOW, was 3; leave it out",
        "limit: 5/s burst 3, algorithm: SLIDING_WINDOW|limit|limit: burst has no meaning for"
            + " SLIDING_WINDOW, was '5/s burst 3'; leave it out",
        "capacity: 5, window: 1s, refill: INTERVAL, algorithm: FIXED_WINDOW|refill|refill has no"
            + " meaning for FIXED_WINDOW, was 'INTERVAL'; leave it out",
        "capacity: 5, window: 1s, refillTokens: 3, algorithm: FIXED_WINDOW|refillTokens|"
            + "refillTokens has no meaning for FIXED_WINDOW; leave it out",
        "limit: 5/s, window: 1s|window|'window' cannot stand beside a limit such as 10/s",
        "capacity: 5, refillTokensPerSecond: 0|refillTokensPerSecond|refillTokensPerSecond must be"
            + " between 1 per 366d (3.16E-8) and 10^12, was 0",
        "capacity: 5, window: 1s, label: a b|label|label must be 1 to 128 characters of A-Z a-z"
            + " 0-9 . _ -, was 'a b'",
        "capacity: 1000000000000, refillTokens: 1, refillPeriod: 1d|capacity|time from empty to"
            + " full must be at most 100 years; lower capacity 1000000000000 or refill faster than"
            + " 1 per PT24H",
        "capcity: 5, refillPeriod: 1s|capcity|unknown field 'capcity' (value '5')",
        "capacity: 5, refilPeriod: 1s|refilPeriod|unknown field 'refilPeriod' (value '1s')",
      })
  void reportsMistakeInABandOnceWithItsField(String fields, String field, String message) {
    RuleProblem problem = errorWith("bands: [{ " + fields + " }]");
    assertThat(problem.message())
        .isEqualTo((fields.contains("label:") ? "band 'a b': " : "band 1: ") + message);
    assertThat(problem.field()).contains(field);
    assertThat(problem.rule()).contains("r");
    assertThat(problem.line()).isEqualTo(3);
  }

  @Test
  void reportsEqualLabelsWithBothLines() {
    RuleProblem problem =
        errorWith(
            "bands:",
            "  - { label: x, capacity: 1, window: 1s }",
            "  - { label: x, capacity: 2, window: 1m }");
    assertThat(problem.toString())
        .isEqualTo("rules.yaml:5: rule 'r': label 'x' is already used at line 4");
  }

  @Test
  void reportsUnknownAlgorithmOnce() {
    RuleProblem problem =
        errorWith("algorithm: FIXD_WINDOW", "limit: 5/s", "bands: [{ limit: 5, window: 1s }]");
    assertThat(problem.field()).contains("algorithm");
    assertThat(problem.suggestion()).contains("FIXED_WINDOW");
  }

  @Test
  void rejectsBandsThatAreNoListOfMappings() {
    assertThat(errorWith("bands: 10/s").message())
        .isEqualTo("bands must be a list of bands, was '10/s'");
    assertThat(errorWith("bands: [10/s]").message())
        .isEqualTo("bands: band 1 must be a mapping, was '10/s'");
  }
}
