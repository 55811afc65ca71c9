package dev.redline.rules.documents;

import static dev.redline.rules.documents.Documents.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WarningsTest {
  private static List<String> afterRule(String first, String second) {
    return warnings("- { id: a, priority: 1, " + first + " }\n- { id: b, " + second + " }\n");
  }

  @Test
  void warnsOfStarAsLastSegment() {
    assertThat(warnings("- id: a\n  limit: 1/s\n  paths:\n    - /api/**\n    - /api/*\n"))
        .containsExactly("rules.yaml:5: rule 'a': path '/api/*': one segment; did you mean `/**`?");
    assertThat(warnings("- { id: a, limit: 1/s, paths: [/api/x*, \"/{id}\", /a/*/b] }")).isEmpty();
  }

  @Test
  void warnsOfValidRulesBesideErrors() {
    ReadResult result =
        Documents.read("- { id: a, limit: 1/s, path: /api/* }\n- { id: b, limit: 0/s, plan: x }\n");

    assertThat(result.valid()).isFalse();
    assertThat(result.warnings())
        .hasSize(1)
        .first()
        .hasToString("rules.yaml:1: rule 'a': path '/api/*': one segment; did you mean `/**`?");
  }

  @Test
  void warnsOfRuleBehindUnconditionalAllow() {
    assertThat(afterRule("action: ALLOW, path: /api/**", "path: /api/x, limit: 1/s"))
        .containsExactly(
            "rules.yaml:2: rule 'b': can never apply: rule 'a' (rules.yaml:1) comes first and"
                + " stops every request that could reach it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stop: true, limit: 1/s",
        "stop: true, limit: 1/s, key: userId",
        "stop: true, limit: 1/s, mode: SHADOW",
        "stop: true, limit: 1/s, onMissingIdentity: SKIP",
        "action: DENY, stop: true",
        "action: ALLOW, methods: [GET, POST]",
        "action: ALLOW, onMissingIdentity: SKIP, key: ip",
      })
  void warnsOfRuleWhoseRequestsAreAllStopped(String stopper) {
    assertThat(afterRule(stopper, "path: /x, methods: [POST, HEAD], limit: 1/s")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit: 1/s",
        "action: DENY",
        "action: ALLOW, enabled: false",
        "action: ALLOW, path: /y",
        "action: ALLOW, path: /x/y",
        "action: ALLOW, method: GET",
        "action: ALLOW, match: { userIds: [u] }",
        "action: ALLOW, ruleSetId: other",
        "action: ALLOW, priority: -1",
        "stop: true, limit: 1/s, onMissingIdentity: SKIP, key: userId",
      })
  void doesNotWarnIfSomeRequestsReachTheRule(String first) {
    String priority = first.contains("priority") ? "" : "priority: 1, ";
    assertThat(
            warnings("- { id: a, " + priority + first + " }\n- { id: b, path: /x, limit: 1/s }\n"))
        .isEmpty();
  }

  @Test
  void doesNotWarnOfRuleReachedByRequestsWithoutPath() {
    assertThat(afterRule("action: ALLOW, path: /**", "limit: 1/s")).isEmpty();
  }

  @Test
  void comparesRulesInEvaluationOrder() {
    assertThat(warnings("- { id: b, limit: 1/s }\n- { id: a, action: ALLOW }\n"))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("rules.yaml:1: rule 'b'");
  }

  @Test
  void warnsOfBandBesideAnAlwaysTighterOne() {
    assertThat(warnings("- { id: a, limit: [10/s, 10/m] }"))
        .containsExactly(
            "rules.yaml:1: rule 'a': band 'a-1' can never bind: band 'a-2' is always tighter");
    assertThat(warnings("- { id: a, limit: [10/s, 100/m, 1000/h] }")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit: [10/s, 10/s]",
        "limit: [10/s burst 5, 600/m burst 5, 36000/h]",
        "algorithm: FIXED_WINDOW, limit: [10/s, 10/m]",
        "algorithm: SLIDING_WINDOW, limit: [10/s, 5/s]",
        "plan: p, limit: 5/s",
      })
  void namesExactlyTheLooserBand(String limits) {
    String text = "{ plans: [{ id: p, limit: 6/s }], rules: [{ id: a, " + limits + " }] }";
    assertThat(warnings(text)).hasSizeBetween(1, 2);
    assertThat(warnings(text)).allMatch(line -> line.contains("can never bind"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit: [10/s, 11/m]",
        "limit: [10/s burst 90, 10/m burst 100]",
        "algorithm: FIXED_WINDOW, limit: [10/7s, 10/m]",
        "algorithm: SLIDING_WINDOW, limit: [10/s, 10/m]",
        "bands: [{ limit: 10/s, algorithm: FIXED_WINDOW }, { limit: 5/s }]",
        "bands: [{ limit: 10/s, refill: INTERVAL }, { limit: 5/s }]",
        "plan: p, limit: 7/m",
      })
  void doesNotWarnOfBandThatCanBind(String limits) {
    assertThat(warnings("{ plans: [{ id: p, limit: 6/s }], rules: [{ id: a, " + limits + " }] }"))
        .isEmpty();
  }

  @Test
  void comparesBandsOfPlans() {
    assertThat(
            warnings(
                """
                plans:
                  - { id: gold, limit: [10/s, 10/m] }
                  - { id: slow, limit: 1/m }
                rules:
                  - { id: a, plans: [gold, slow] }
                """))
        .containsExactly(
            "rules.yaml:2: plan 'gold': band 'gold-1' can never bind: band 'gold-2' is always"
                + " tighter",
            "rules.yaml:5: rule 'a': band 'gold-1' of plan 'gold' can never bind: band 'slow' of"
                + " plan 'slow' is always tighter",
            "rules.yaml:5: rule 'a': band 'gold-2' of plan 'gold' can never bind: band 'slow' of"
                + " plan 'slow' is always tighter");
  }

  private static final String NOT_ALL_COMPARED = "not all limits, paths and rules were compared";

  private static String times(int count, String item) {
    return IntStream.range(0, count)
        .mapToObj(i -> item.replace("#", "" + i))
        .collect(Collectors.joining(", "));
  }

  /** Each document compares far more than 5,000,000 pairs; its last limit or rule has no effect. */
  static Stream<String> tooManyComparisons() {
    String limits = "algorithm: SLIDING_WINDOW, limit: [" + times(3000, "1/1#s") + ", 1/1h, 2/1h]";
    String paths = "paths: [" + times(3000, "/v#") + "]";
    return Stream.of(
        "rules: [{ id: a, " + limits + " }]",
        "plans: [{ id: p, " + limits + " }]\nrules: []",
        "rules: [{ id: a, action: ALLOW, priority: 1, "
            + paths
            + " }, { id: b, limit: 1/s, "
            + paths
            + " }]",
        "rules: ["
            + times(4000, "{ id: r-#, path: /**, method: M#, action: ALLOW }")
            + ", { id: z, path: /**, method: M1, action: ALLOW }]");
  }

  @ParameterizedTest
  @MethodSource("tooManyComparisons")
  void saysOnceThatNotAllWasCompared(String text) {
    assertThat(warnings(text)).singleElement().asString().contains(NOT_ALL_COMPARED);
  }

  @Test
  void limitsOfPlansAreComparedUpToABound() {
    String plan = "{ id: p, algorithm: SLIDING_WINDOW, limit: [" + times(100, "1/1#s") + "] }";
    String rules =
        times(1000, "{ id: r-#, path: /v#, algorithm: SLIDING_WINDOW, limit: 1/d, plan: p }");

    assertThat(warnings("plans: [" + plan + "]\nrules: [" + rules + "]"))
        .singleElement()
        .asString()
        .contains(NOT_ALL_COMPARED);
  }

  @Test
  void comparesTwoThousandLimits() {
    String limits = times(2000, "1/1#m");
    assertThat(warnings("rules: [{ id: a, algorithm: SLIDING_WINDOW, limit: [" + limits + "] }]"))
        .isEmpty();
  }

  @Test
  void invalidDocumentHasOnlyErrors() {
    ReadResult result = Documents.read("- { id: a, path: /x/*, limit: 1/x }");
    assertThat(result.errors()).hasSize(1);
    assertThat(result.warnings()).isEmpty();
  }

  @Test
  void warnsTheServiceOfRulesThatWait() {
    Document document =
        new Document(
            "rules.yaml",
            "- { id: a, path: /a, limit: 1/s, onLimitExceed: WAIT_FOR_REFILL }\n"
                + "- { id: b, path: /b, limit: 1/s, onLimitExceed: REJECT }");
    RuleDocumentReader reader = RuleDocumentReader.withoutPlaceholders();

    assertThat(reader.read(List.of(document)).warnings()).isEmpty();
    assertThat(reader.warningOfWaits().read(List.of(document)).warnings())
        .singleElement()
        .asString()
        .startsWith("rules.yaml:1: rule 'a': onLimitExceed WAIT_FOR_REFILL")
        .contains("never waits");
  }
}
