package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholdersTest {
  private static RateLimitRule rule(Map<String, String> environment, String... fields) {
    ReadResult result = Documents.read(Documents.withFields(fields), environment);
    assertThat(result.errors()).isEmpty();
    return result.document().rules().get(0);
  }

  private static RuleProblem error(Map<String, String> environment, String... fields) {
    ReadResult result = Documents.read(Documents.withFields(fields), environment);
    assertThat(result.errors()).hasSize(1);
    return result.errors().get(0);
  }

  @Test
  void replacesPlaceholdersInsideTexts() {
    RateLimitRule rule =
        rule(
            Map.of("RATE", "20", "BASE", "api"),
            "limit: ${RATE}/s burst ${BURST:5}",
            "path: /${BASE}/${VERSION:v1}/**");
    assertThat(rule.bands().get(0).capacity()).isEqualTo(25);
    assertThat(rule.paths().get(0)).isEqualTo("/api/v1/**");
  }

  @Test
  void typesWhollyReplacedValueAsIfUnquoted() {
    Map<String, String> environment =
        Map.of("COST", "7", "ON", "false", "PERIOD", "2s", "VERSION", "010", "BLANKS", " 3 ");
    RateLimitRule rule =
        rule(
            environment,
            "cost: ${COST}",
            "priority: \"${BLANKS}\"",
            "enabled: '${ON}'",
            "bands: [{ capacity: \"${CAPACITY:12}\", refillPeriod: \"${PERIOD}\" }]",
            "match: { headers: { X-Version: \"${VERSION}\" } }",
            "metadata: { seats: \"${COST}\", text: \"is ${COST}\" }");
    assertThat(rule.cost()).isEqualTo(7);
    assertThat(rule.priority()).isEqualTo(3);
    assertThat(rule.enabled()).isFalse();
    assertThat(rule.bands().get(0).capacity()).isEqualTo(12);
    assertThat(Documents.named(rule, "headers").get("X-Version")).isEqualTo("010");
    assertThat(rule.metadata()).isEqualTo(Map.of("seats", 7L, "text", "is 7"));
  }

  @Test
  void treatsEmptyValueAsAbsent() {
    RateLimitRule rule = rule(Map.of("EMPTY", ""), "limit: 1/s", "path: ${EMPTY}", "cost: ${N:}");
    assertThat(rule.paths()).isEmpty();
    assertThat(rule.cost()).isEqualTo(1);
  }

  @Test
  void prefersEnvironmentToDefaultThatMayContainColons() {
    assertThat(rule(Map.of("K", "ip"), "limit: 1/s", "key: ${K:userId}").key().toString())
        .isEqualTo("[ip]");
    assertThat(rule(Map.of(), "limit: 1/s", "key: ${K:header:X-A}").key().toString())
        .isEqualTo("[header:X-A]");
  }

  @Test
  void doesNotParseReplacedValueAsYaml() {
    RuleProblem problem = error(Map.of("PATHS", "[/a, /b]"), "limit: 1/s", "paths: ${PATHS}");
    assertThat(problem.message()).contains("'${PATHS}'").contains("must start with '/'");
    assertThat(rule(Map.of("A", "x\npriority: 9"), "limit: 1/s", "metadata: { a: \"${A}\" }"))
        .satisfies(rule -> assertThat(rule.priority()).isZero());
  }

  @Test
  void replacesPlaceholdersInIdsListsAndUserDefinedNames() {
    ReadResult result =
        Documents.read(
            """
            - id: ${NAME}
              limit: ["${A}/s", "2/m"]
              match: { headers: { "${HEADER}": "x" } }
              metadata: { "${HEADER}": 1 }
            """,
            Map.of("NAME", "n1", "A", "3", "HEADER", "X-H"));
    assertThat(result.errors()).isEmpty();
    RateLimitRule rule = result.document().rules().get(0);
    assertThat(rule.id()).isEqualTo("n1");
    assertThat(rule.bands().get(0).capacity()).isEqualTo(3);
    assertThat(Documents.named(rule, "headers")).containsOnlyKeys("X-H");
    assertThat(rule.metadata()).containsOnlyKeys("X-H");
  }

  @Test
  void reportsNameThatIsNotSet() {
    RuleProblem problem = error(Map.of(), "limit: 1/s", "cost: ${COST}");
    assertThat(problem.toString())
        .isEqualTo(
            "rules.yaml:4: rule 'r': cost: '${COST}' is not set and has no default; set COST or"
                + " write ${COST:default}");
    assertThat(problem.field()).contains("cost");
    assertThat(problem.value()).contains("${COST}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"${}", "${1A}", "${A", "${A B}", "x${A:${B}}", "${A}${"})
  void rejectsMalformedPlaceholders(String text) {
    assertThat(error(Map.of("A", "1"), "limit: 1/s", "createdAt: '" + text + "'").message())
        .contains("bad placeholder in '" + text + "'");
  }

  @Test
  void rejectsValueThatContainsAPlaceholder() {
    assertThat(error(Map.of("A", "${B}"), "limit: 1/s", "createdAt: ${A}").message())
        .contains("contains a placeholder itself");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "createdAt: ${RATE:10}/s",
        "metadata: { a: \"${B}\" }",
        "metadata: { \"${B}\": 1 }",
        "metadata: { a: [{ b: \"${B}\" }] }",
        "match: { userIds: [\"${B}\"] }",
      })
  void rejectsPlaceholdersOutsideOfFiles(String field) {
    ReadResult result =
        RuleDocumentReader.withoutPlaceholders()
            .read(List.of(new Document("redis", Documents.withFields("limit: 1/s", field))));
    assertThat(result.errors()).hasSize(1);
    assertThat(result.errors().get(0).line()).isEqualTo(4);
    assertThat(result.errors().get(0).field()).isPresent();
    assertThat(result.errors().get(0).message())
        .contains("are replaced only in FILE and CONFIG_MAP documents");
  }

  @Test
  void keepsLoneDollar() {
    RateLimitRule rule = rule(Map.of(), "limit: 1/s", "match: { userIds: [\"$a\", \"{b}\"] }");
    assertThat(Documents.texts(rule, "userIds")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit: ${SECRET}",
        "limit: 10/${SECRET}",
        "path: a-${SECRET}",
        "key: ${SECRET}",
        "algorithm: ${SECRET}",
        "cost: ${SECRET:7}",
        "plans: [gold, \"${SECRET}\"]",
        "match: { clientIps: [\"${SECRET}\"] }",
        "createdAt: ${SECRET}",
      })
  void errorsShowThePlaceholderInsteadOfItsValue(String field) {
    ReadResult result =
        Documents.read(
            Documents.withFields(field, "bands: [{ capacity: 0, refillPeriod: 1s }]"),
            Map.of("SECRET", "hunter2/7s;pa:ss"));

    assertThat(result.errors()).hasSizeGreaterThan(1);
    assertThat(result.errors().toString()).doesNotContain("hunter2").doesNotContain("7s;pa");
    assertThat(result.errors().toString()).contains("${SECRET}");
  }

  @Test
  void hidesShortValuesOnTheirOwnLineOnly() {
    RuleProblem error =
        error(Map.of("N", "0"), "bands: [{ capacity: \"${N}\", refillPeriod: 1s }]");

    assertThat(error.toString()).contains("must be at least 1").contains("was ${N}");
    assertThat(error.value()).hasValue("${N}");
  }

  @Test
  void hidesIdsFromPlaceholders() {
    ReadResult result =
        Documents.read(
            "rules:\n  - id: ${ID}\n    limit: nonsense\n", Map.of("ID", "very-secret-id"));

    assertThat(result.errors().toString())
        .contains("rule '${ID}'")
        .doesNotContain("very-secret-id");
  }

  @ParameterizedTest
  @ValueSource(strings = {"window", "refillPeriod"})
  void suggestionsDoNotShowValuesOfPlaceholders(String field) {
    RuleProblem error =
        error(Map.of("SECRET", "4711"), "bands: [{ capacity: 1, " + field + ": \"${SECRET}\" }]");

    assertThat(error.toString()).contains("${SECRET}").doesNotContain("4711");
    assertThat(error.suggestion()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "action: ${SECRET}",
        "path: a-${SECRET}",
        "bands: ${SECRET}",
        "metadata: a${SECRET}b",
        "match: { clientIps: \"${SECRET}\" }",
        "priority: [\"a${SECRET}b\"]",
      })
  void hidesLongValuesAndValuesWithQuotes(String field) {
    String secret = "it's-hunter2-" + "x9".repeat(200);

    ReadResult result =
        Documents.read(Documents.withFields("limit: 1/s", field), Map.of("SECRET", secret));

    assertThat(result.errors()).isNotEmpty();
    assertThat(result.errors().toString())
        .contains("${SECRET}")
        .doesNotContain("hunter2")
        .doesNotContain("x9x9");
  }

  @Test
  void namesHiddenValueOnce() {
    RuleProblem error = error(Map.of("SECRET", "hunter2"), "limit: 1/s", "algorithm: ${SECRET}");

    assertThat(error.message()).containsOnlyOnce("${SECRET}");
  }

  /** Measured in processor time, which other programs do not prolong. */
  @Test
  @Timeout(120)
  void readsManyInvalidPlaceholdersInTime() {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 20_000; i++) {
      rules.append("  - { id: r%d, limit: \"${RATE}\", key: \"${KEY:k-%d}\" }\n".formatted(i, i));
    }

    long start = processorNanos();
    ReadResult result = Documents.read(rules.toString(), Map.of("RATE", "ten a second"));

    assertThat(processorNanos() - start).isLessThan(20_000_000_000L);
    assertThat(result.errors()).hasSize(1001);
    assertThat(result.errors().toString()).doesNotContain("ten a second").doesNotContain("k-49");
  }

  private static long processorNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  @Test
  void hidesTheLongerOfTwoOverlappingValues() {
    ReadResult result =
        Documents.read(
            """
            plans:
              - { id: "${SHORT}", limit: 1/s }
              - { id: "${LONG}", limit: 1/s }
            rules:
              - { id: r, plans: [abc-def-ghi-x] }
            """,
            Map.of("SHORT", "abc-def", "LONG", "abc-def-ghi"));

    assertThat(result.errors().toString()).contains("${LONG}-x").doesNotContain("abc");
  }
}
