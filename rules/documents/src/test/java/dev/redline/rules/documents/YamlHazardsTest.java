package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed and hostile YAML. */
class YamlHazardsTest {
  @ParameterizedTest
  @CsvSource({
    "*, *",
    "**, **",
    "*foo*, *foo*",
    "[*], *",
    "'[*, a]', *",
    "'{ X-A: *}', *",
    "*-suffix*, *-suffix*",
  })
  void suggestsQuotingAStar(String value, String word) {
    RuleProblem problem = Documents.errorWith("limit: 1/s", "path: " + value);
    assertThat(problem.line()).isEqualTo(4);
    assertThat(problem.message())
        .isEqualTo("'" + word + "' unquoted starts a YAML alias; quote it: \"" + word + "\"");
  }

  @Test
  void reportsUnquotedStarWithItsRule() {
    RuleProblem problem = Documents.errorWith("limit: 1/s", "match: { userIds: [*admin] }");
    assertThat(problem.toString())
        .isEqualTo(
            "rules.yaml:4: rule 'r': match: userIds: '*admin' unquoted is a YAML alias that"
                + " nothing defines; quote it");
    assertThat(problem.value()).contains("*admin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"- { id: a, path: /u/{id}, limit: 1/s }", "- { id: a, limit: ${R}/s }"})
  void suggestsQuotingBracesInsideBraces(String text) {
    assertThat(Documents.error(text).message())
        .startsWith("not valid YAML or JSON: ")
        .endsWith("inside {…} or […], quote a value that contains { } [ ] or ,");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"@x|quote it", "a: b|quote a value that contains ': '", "'\"x'|end of stream"})
  void reportsLocationAndCauseOfSyntaxErrors(String value, String hint) {
    RuleProblem problem = Documents.errorWith("limit: 1/s", "createdAt: " + value);
    assertThat(problem.message()).contains(hint);
    assertThat(problem.line()).isBetween(4, 5);
  }

  @Test
  void reportsTabsUsedForIndentation() {
    RuleProblem problem = Documents.error("rules:\n\t- { id: a, limit: 1/s }");
    assertThat(problem.line()).isEqualTo(2);
    assertThat(problem.message()).contains("TAB");
  }

  @Test
  void reportsControlCharactersWithTheirLine() {
    RuleProblem problem = Documents.error("rules:\n# \u0007\n- { id: a, limit: 1/s }");
    assertThat(problem.toString()).isEqualTo("rules.yaml:2: the character U+0007 is not allowed");
  }

  @Test
  void reportsDuplicateKeysWithBothLines() {
    assertThat(
            Documents.errors(
                """
                version: 1
                rules:
                  - id: a
                    limit: 1/s
                    limit: 2/s
                    metadata: { x: 1,
                      x: 2 }
                version: 2
                """))
        .containsExactly(
            "rules.yaml:5: rule 'a': 'limit' is given twice, first at line 4",
            "rules.yaml:7: rule 'a': metadata: 'x' is given twice, first at line 6 (written as"
                + " '2')",
            "rules.yaml:8: 'version' is given twice, first at line 1");
  }

  @Test
  void reportsDuplicateKeysOfJson() {
    assertThat(
            Documents.error("{\"rules\":[{\"id\":\"a\",\"limit\":\"1/s\",\"id\":\"b\"}]}").field())
        .contains("id");
  }

  @Test
  void rejectsSecondDocumentInTheText() {
    RuleProblem problem = Documents.error("---\nrules: []\n---\nrules: []\n");
    assertThat(problem.toString())
        .isEqualTo("rules.yaml:3: a second document starts here; keep one document per file");
  }

  @Test
  void readsAnchorsAndAliases() {
    RuleDocument document =
        Documents.valid(
            """
            - { id: a, limit: &l [1/s, 2/m], path: &p /a }
            - { id: b, limit: *l, path: *p }
            """);
    assertThat(document.rules().get(1).bands()).hasSize(2);
    assertThat(document.rules().get(1).paths().get(0)).isEqualTo("/a");
  }

  @Test
  void rejectsBillionLaughsAtOnce() {
    StringBuilder text = new StringBuilder("x-0: &a0 [lol, lol]\n");
    for (int i = 1; i <= 60; i++) {
      text.append("x-%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    text.append("rules: [{ id: a, limit: 1/s, metadata: { a: *a60 } }]\n");
    RuleProblem problem =
        Assertions.assertTimeoutPreemptively(
            Duration.ofSeconds(5), () -> Documents.error(text.toString()));
    assertThat(problem.message()).isEqualTo("aliases stand for more than 100000 values");
  }

  @Test
  void rejectsNodeThatContainsItself() {
    assertThat(Documents.errorWith("limit: 1/s", "metadata: &m { me: *m }").message())
        .contains("'*m' unquoted is a YAML alias that nothing defines");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{ a: "})
  void rejectsDeepNestingWithoutStackOverflow(String open) {
    String text = "rules: []\nx-deep: " + open.repeat(100_000);
    assertThat(Documents.error(text).message()).isEqualTo("nested more than 64 levels deep");
  }

  @ParameterizedTest
  @CsvSource({"'rules:\n', '- 1\n'", "'[1', ',1'", "'{\"rules\": [1', '\n,1'", "'', 'a: \n'"})
  void rejectsMoreThanTwoMillionNodes(String start, String item) {
    String text = start + item.repeat(4_000_000);
    assertThat(Documents.error(text).message())
        .isEqualTo("the document has more than 2000000 names and values; define fewer rules");
  }

  @Test
  void rejectsMoreThan32Mebibytes() {
    String comment = "#" + "x".repeat(1023) + "\n";
    String text = "rules: []\n" + comment.repeat(32 * 1024);
    assertThat(Documents.error(text).message()).contains("larger than 32 MiB");
  }

  @Test
  void readsNearly32Mebibytes() {
    String text = "rules: []\nx-a: \"" + "ä".repeat((16 << 20) - 20) + "\"\n";
    assertThat(Documents.valid(text).rules()).isEmpty();
  }

  @Test
  void rejectsKeysThatAreNotText() {
    assertThat(Documents.error("? [a]\n: b\n").message()).contains("a name must be a text");
  }

  @Test
  void reportsMergeKeysAsUnknownFields() {
    assertThat(Documents.errorWith("limit: 1/s", "<<: { path: /x }").message())
        .startsWith("unknown field '<<'");
  }
}
