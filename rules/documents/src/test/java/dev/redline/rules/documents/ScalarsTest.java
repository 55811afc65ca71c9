package dev.redline.rules.documents;

import static dev.redline.rules.documents.Documents.ruleWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.rules.documents.internal.parsing.ScalarType;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scalars are typed by the JSON schema of YAML 1.2. */
class ScalarsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "yes",
        "no",
        "on",
        "off",
        "1:30",
        "010",
        "0x1F",
        "0o17",
        "+1",
        "1_000",
        ".5",
        ".inf",
        "True",
        "NULL",
        "~",
        "2024-05-01",
        "1.10",
        "1e3",
        "42",
        "true",
        "-0",
      })
  void keepsExactTextOfTextFields(String text) {
    var rule = ruleWith("limit: 1/s", "match: { headers: { X-A: " + text + " } }");
    assertThat(Documents.named(rule, "headers").get("X-A")).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "yes, TEXT",
    "on, TEXT",
    "1:30, TEXT",
    "010, TEXT",
    "0x1F, TEXT",
    "+1, TEXT",
    "-, TEXT",
    "~, TEXT",
    "True, TEXT",
    ".nan, TEXT",
    "null, NULL",
    "'', NULL",
    "true, BOOLEAN",
    "false, BOOLEAN",
    "0, INTEGER",
    "-12, INTEGER",
    "1.5, DECIMAL",
    "1., DECIMAL",
    "-1e-3, DECIMAL",
  })
  void plainScalarsHaveJsonTypes(String text, ScalarType type) {
    assertThat(ScalarType.ofPlain(text)).isEqualTo(type);
  }

  @Test
  void acceptsNumberAsId() {
    assertThat(Documents.rule("- { id: 42, limit: 1/s }").id()).isEqualTo("42");
    assertThat(Documents.rule("[{\"id\": 007, \"limit\": \"1/s\"}]").id()).isEqualTo("007");
  }

  @ParameterizedTest
  @ValueSource(strings = {"010", "0x1F", "1:30", "yes"})
  void readsNumbersOfOlderYamlAsText(String text) {
    assertThat(Documents.errorWith("limit: 1/s", "cost: " + text).message())
        .isEqualTo("cost must be a whole number, was '" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cost", "priority", "version"})
  void rejectsNumbersOfMoreThanHundredCharacters(String field) {
    String number = "1".repeat(101);
    String text =
        field.equals("version")
            ? "{ version: " + number + ", rules: [] }"
            : Documents.withFields("limit: 1/s", field + ": " + number);
    assertThat(Documents.error(text).message())
        .isEqualTo(
            field + " must be a whole number of at most 100 characters, was '" + number + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#", "0.#", "1e#", "[[#]]"})
  void rejectsLongNumbersInMetadata(String value) {
    RuleProblem problem =
        Documents.errorWith(
            "limit: 1/s", "metadata: { n: " + value.replace("#", "1".repeat(900_000)) + " }");
    assertThat(problem.field()).contains("metadata");
    assertThat(problem.message())
        .startsWith("metadata: 'n': a number must have at most 100 characters, was '")
        .contains("1…'; quote it to make it a text");
  }

  @Test
  void readsNumbersOfHundredCharacters() {
    String number = "1".repeat(100);
    assertThat(ruleWith("limit: 1/s", "metadata: { n: " + number + " }").metadata())
        .isEqualTo(Map.of("n", new BigInteger(number)));
  }

  @Test
  void readsTagsOfJsonTypes() {
    var rule = ruleWith("limit: 1/s", "cost: !!int 3", "createdAt: !!str 12", "key: !!null null");
    assertThat(rule.cost()).isEqualTo(3);
    assertThat(rule.createdAt()).contains("12");
  }

  @Test
  void reportsOtherTagsWithTheirLocation() {
    RuleProblem problem = Documents.errorWith("limit: 1/s", "path: !java.lang.Object /x");
    assertThat(problem.toString())
        .isEqualTo(
            "rules.yaml:4: rule 'r': path: the YAML tag '!java.lang.Object' has no meaning here;"
                + " leave it out");
    assertThat(Documents.errorWith("limit: 1/s", "metadata: !!set { a }").field())
        .contains("metadata");
  }
}
