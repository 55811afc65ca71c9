package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentShapesTest {
  private static final RuleDocumentReader READER =
      RuleDocumentReader.withPlaceholders(name -> null);

  @Test
  void readsTheExampleOfTheContract() {
    RuleDocument document = Documents.valid(Samples.COMPLETE);
    assertThat(document.version()).isEqualTo(1);
    assertThat(document.plans().stream().map(plan -> plan.id())).containsExactly("gold", "daily");
    assertThat(document.plans().get(0).bands().get(0).capacity()).isEqualTo(10);
    assertThat(document.rules().stream().map(RateLimitRule::id))
        .containsExactly("per-ip", "health", "per-tenant");
    assertThat(document.ruleSetIds()).containsExactly("default", "api-limits");
    assertThat(document.rules().get(0).bands().stream().map(band -> band.label().orElseThrow()))
        .containsExactly("per-ip-1", "per-ip-2", "per-ip-3");
    RuleBook book = document.toBook().build();
    assertThat(book.ruleSets()).containsOnlyKeys("default", "api-limits");
    assertThat(book.rule("per-tenant").orElseThrow().metadata())
        .isEqualTo(Map.of("tier", "premium"));
  }

  @Test
  void readsJsonLikeYaml() {
    String json =
        """
        {
        \t"version": 3,
        \t"rules": [{"id":"a","path":"\\/api\\/**","limit":["10\\/s"],"metadata":{"smile":"\\ud83d\\ude00"}}]
        }
        """;
    RuleDocument document = Documents.valid(json);
    assertThat(document.version()).isEqualTo(3);
    assertThat(document.rules().get(0).paths().get(0)).isEqualTo("/api/**");
    assertThat(document.rules().get(0).metadata()).isEqualTo(Map.of("smile", "😀"));
  }

  @Test
  void ignoresByteOrderMark() {
    assertThat(Documents.valid("\uFEFFrules: []").rules()).isEmpty();
    assertThat(Documents.valid("\uFEFF{\"rules\": []}").rules()).isEmpty();
  }

  @Test
  void readsBareListAsRules() {
    RuleDocument document =
        Documents.valid("- { id: a, limit: 1/s }\n- { id: b, ruleSetId: other, limit: 1/s }\n");
    assertThat(document.ruleSetIds()).containsExactly("default", "other");
    assertThat(document.version()).isEqualTo(1);
  }

  @Test
  void acceptsEnclosingRuleSetIdAndRejectsAnyOther() {
    assertThat(
            Documents.valid("ruleSets: [{ id: s, rules: [{ id: a, ruleSetId: s, limit: 1/s }] }]")
                .rules()
                .get(0)
                .ruleSetId())
        .isEqualTo("s");
    RuleProblem problem =
        Documents.error(
            """
            ruleSets:
              - id: s
                rules:
                  - { id: a, limit: 1/s,
                      ruleSetId: t }
            """);
    assertThat(problem.toString())
        .isEqualTo(
            "rules.yaml:5: rule 'a': ruleSetId must be that of the enclosing rule set 's', was"
                + " 't'");
  }

  @Test
  void acceptsEmptyRuleSet() {
    assertThat(Documents.valid("ruleSets: [{ _id: s, rules: [] }]").ruleSetIds())
        .containsExactly("s");
    assertThat(Documents.valid("ruleSets: [{ id: s }]").toBook().build().ruleSets())
        .containsOnlyKeys("s");
    assertThat(Documents.valid("rules: []").ruleSetIds()).containsExactly("default");
    assertThat(Documents.valid("[]").ruleSetIds()).containsExactly("default");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing\n", "version: 1", "{}", "null", "rules: null", "x-a: 1"})
  void rejectsDocumentWithoutRulesRuleSetsAndPlans(String text) {
    assertThat(Documents.error(text).toString())
        .isEqualTo("rules.yaml:1: a rule document needs at least one of rules, ruleSets, plans");
  }

  @Test
  void rejectsEmptyListOfDocuments() {
    assertThat(READER.read(List.of()).valid()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hello|a rule document is a mapping with rules, ruleSets or plans, or a list of rules",
        "rulez: []|unknown field 'rulez' (value '[]')",
        "rules: { a: b }|rules must be a list of rules, was '{a: b}'",
        "rules: [1]|rules: rule 1 must be a mapping, was '1'",
        "plans: [1]|plans: plan 1 must be a mapping, was '1'",
        "ruleSets: [1]|ruleSets: rule set 1 must be a mapping, was '1'",
        "ruleSets: [{ rules: [] }]|rule set 1: id is required",
        "ruleSets: [{ id: a b, rules: [] }]|rule set 'a b': id: ruleSetId must be 1 to 128"
            + " characters of A-Z a-z 0-9 . _ -, was 'a b'",
        "rules: [{ limit: 1/s }]|rule 1: id is required",
        "ruleSets: [{ id: s, rules: [{ limit: 1/s }] }]|rule set 's': rule 1: id is required",
        "plans: [{ limit: 1/s }]|plan 1: id is required",
        "plans: [{ id: p }]|plan 'p': needs at least one of limit, bands",
        "plans: [{ id: a b, limit: 1/s }]|plan 'a b': id: plan id must be 1 to 128 characters of"
            + " A-Z a-z 0-9 . _ -, was 'a b'",
        "plans: [{ id: p, path: /a, limit: 1/s }]|plan 'p': unknown field 'path' (value '/a')",
        "{ version: one, rules: [] }|version must be a whole number, was 'one'",
        "{ version: -1, rules: [] }|version must be at least 0, was -1",
        "{ id: a, path: /a, limit: 1/s }|a rule stands here alone; write it as an item of a list"
            + " under rules",
      })
  void reportsWrongShapeAsOneError(String text, String message) {
    assertThat(Documents.error(text).message()).isEqualTo(message);
  }

  @Test
  void ignoresTopLevelNamesThatStartWithX() {
    RuleDocument document =
        Documents.valid(
            """
            $schema: redline-rules.schema.json
            x-shared: &trusted { headers: { X-Internal: "1" } }
            x-note: "${UNSET}"
            rules: [{ id: a, action: ALLOW, match: *trusted }]
            """);
    assertThat(Documents.named(document.rules().get(0), "headers")).containsOnlyKeys("X-Internal");
    assertThat(Documents.errorWith("limit: 1/s", "x-note: 1").field()).contains("x-note");
  }

  @Test
  void mergesSeveralDocuments() {
    ReadResult result =
        READER.read(
            List.of(
                new Document("a.yaml", "version: 4\nplans: [{ id: gold, limit: 1/s }]"),
                new Document("b.json", "{\"rules\":[{\"id\":\"x\",\"plan\":\"gold\"}]}"),
                new Document("c.yaml", "# only a comment\n")));
    assertThat(result.errors()).isEmpty();
    assertThat(result.document().version()).isEqualTo(4);
    assertThat(result.document().toBook().build().compiled().rule("x").bands()).hasSize(1);
  }

  @Test
  void namesBothLocationsOfDuplicateIdAcrossDocuments() {
    ReadResult result =
        READER.read(
            List.of(
                new Document(
                    "a.yaml", "plans: [{ id: p, limit: 1/s }]\nrules:\n- { id: x, limit: 1/s }"),
                new Document("b.yaml", "- limit: 2/s\n  _id: x\n"),
                new Document("c.yaml", "plans: [{ id: p, limit: 1/m }]")));
    assertThat(result.errors().stream().map(RuleProblem::toString))
        .containsExactly(
            "b.yaml:2: rule 'x': id 'x' is already used at a.yaml:3",
            "c.yaml:1: plan 'p': id 'p' is already used at a.yaml:1");
  }

  @Test
  void doesNotReportUnresolvedIdsAsDuplicates() {
    assertThat(Documents.errors("- { id: '${A}', limit: 1/s }\n- { id: '${A}', limit: 1/s }\n"))
        .hasSize(2)
        .allMatch(line -> line.contains("'${A}' is not set"));
  }

  @Test
  void messageIsOneShortLineForAnyValue() {
    RuleProblem problem =
        Documents.errorWith("limit: 1/s", "cost: \"a\\nb\\r" + "x".repeat(10_000) + "\"");
    assertThat(problem.toString()).startsWith("rules.yaml:4: rule 'r': cost must").hasLineCount(1);
    assertThat(problem.toString().length()).isLessThan(1000);
  }

  @Test
  void ruleAndPlanMayShareAnId() {
    assertThat(
            Documents.valid("{ plans: [{ id: a, limit: 1/s }], rules: [{ id: a, plan: a }] }")
                .rules())
        .hasSize(1);
  }

  @Test
  void acceptsPlansOfOtherSources() {
    List<Document> documents = List.of(new Document("redis", "[{ id: a, plan: gold }]"));
    assertThat(READER.read(documents, Set.of("gold")).valid()).isTrue();
    assertThat(READER.read(documents).errors().get(0).message())
        .isEqualTo("plan: unknown plan 'gold'");
  }

  @Test
  void doesNotReportInvalidPlanAsUnknown() {
    assertThat(
            Documents.errors(
                "{ plans: [{ id: gold, limit: 1/x }], rules: [{ id: a, plan: gold }] }"))
        .containsExactly(
            "rules.yaml:1: plan 'gold': limit '1/x': PERIOD must be s, m, h, d or a duration such"
                + " as 10s");
  }

  @Test
  void ordersErrorsByDocumentAndLine() {
    ReadResult result =
        READER.read(
            List.of(
                new Document("b", "rules:\n- { id: r, plan: none }\nplans:\n- { id: p }\n"),
                new Document("a", "rules: 1")));
    assertThat(result.errors().stream().map(p -> p.document() + ":" + p.line()))
        .containsExactly("b:2", "b:4", "a:1");
  }
}
