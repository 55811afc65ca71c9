package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.math.BigDecimal;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\n\t\"rules\": [\n\t\t{\n\t\t\t\"id\": \"a\",\n\t\t\t\"limit\": \"1/s\"\n\t\t}\n\t]\n}",
        "\t[ { \"id\": \"a\", \"limit\": \"1/s\" } ]",
        "{\"rules\"\n:[{\"id\"\n: \"a\",\"limit\":\"1/s\"}]}",
        "[{\"id\":\"a\",\"limit\":\"1/s\",\"metadata\":{\"x\":\"\u007F\"}}]",
        "\r\n[{\"id\":\"a\",\"limit\":\"1/s\",\"metadata\":{\"x\":[-1.5e+3,true,null,{},[]]}}]\r\n",
      })
  void readsEverySpellingOfJson(String json) {
    assertThat(Documents.rule(json).id()).isEqualTo("a");
  }

  @Test
  void readsEscapesAndTypesOfJson() {
    String json =
        "[{\"id\":\"a\",\"limit\":\"1/s\",\"metadata\":{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E4\","
            + "\"number\":-1.5e+3,\"quoted\":\"7\",\"flag\":false,\"list\":[1,[]],\"none\":null}}]";
    assertThat(Documents.rule(json).metadata())
        .isEqualTo(
            Map.of(
                "text",
                "\"\\/\b\f\n\r\tä",
                "number",
                new BigDecimal("-1.5e+3"),
                "quoted",
                "7",
                "flag",
                false,
                "list",
                List.of(1L, List.of())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{~\t'rules': [~\t\t{ 'id': 'a', 'limit': '1/s', 'id': 'b' }~\t]~}"
            + "|3: rule 'a': 'id' is given twice, first at line 3",
        "{~\t'rules': [~\t\t{ 'id': 'a', 'limt': '1/s' }~\t]~}|3: rule 'a': unknown field 'limt'",
        "{~\t'rules': [~\t\t{ 'id': 'a',~\t\t'limit' '1/s' }~\t]~}"
            + "|4: not valid JSON: expected ':', was '\"'",
        "{~\t'rules': [~\t\t{ 'id': 'a' }|3: not valid JSON: expected ',' or ']', was the end",
        "{~\t'rules': [~\t\t{ 'id': a }~\t]~}|3: not valid JSON: expected a value, was 'a'",
        "{~\t'rules': [~\t\t{ 'id': 'a\\x' }~\t]~}|3: not valid JSON: expected an escape",
        "{~\t'rules': [~\t\t{ 'id': 'a\\u12' }~\t]~}"
            + "|3: not valid JSON: expected four hexadecimal digits, was '\"'",
        "{~\t'rules': [~\t\t{ id: 'a' }~\t]~}"
            + "|3: not valid JSON: expected a name in double quotes, was 'i'",
      })
  void reportsMistakesInJsonWithTabs(String json, String problem) {
    assertThat(Documents.errors(json.replace('~', '\n').replace('\'', '"')))
        .first()
        .asString()
        .startsWith("rules.yaml:" + problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ rules: [ { id: a, limit: 1/s } ] }",
        "[ { \"id\": a, limit: '1/s' }, ]",
        "[ # one rule\n { \"id\": \"a\", \"limit\": 1/s } ]",
        "[]\n...\n",
        "{\"rules\": [], \"x-a\": 1.}",
        "{\"rules\": [], \"x-a\": \"\\ud83d\"}",
      })
  void readsYamlThatBeginsLikeJson(String yaml) {
    assertThat(Documents.errors(yaml)).isEmpty();
  }

  @Test
  void replacesPlaceholdersInJsonWithTabs() {
    String json =
        "[\n\t{\n\t\t\"id\": \"a\", \"limit\": \"${N}/s\", \"priority\": \"${P}\"\n\t}\n]";
    ReadResult result = Documents.read(json, Map.of("N", "7", "P", "3"));
    assertThat(result.errors()).isEmpty();
    assertThat(result.document().rules().get(0).priority()).isEqualTo(3);
    assertThat(Documents.errors(json).get(0)).startsWith("rules.yaml:3: rule 'a': limit");
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
