package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads texts as one document named {@code rules.yaml}. */
public final class Documents {
  private Documents() {}

  public static ReadResult read(String text, Map<String, String> environment) {
    return RuleDocumentReader.withPlaceholders(environment::get)
        .read(List.of(new Document("rules.yaml", text)));
  }

  public static ReadResult read(String text) {
    return read(text, Map.of());
  }

  /** Returns a document, which must be valid. */
  public static RuleDocument valid(String text) {
    ReadResult result = read(text);
    assertThat(result.errors()).isEmpty();
    assertThat(result.valid()).isTrue();
    return result.document();
  }

  /** Returns the only rule of a document that must be valid. */
  public static RateLimitRule rule(String text) {
    RuleDocument document = valid(text);
    assertThat(document.rules()).hasSize(1);
    return document.rules().get(0);
  }

  /** Returns the rule whose fields are given, one per line. */
  public static RateLimitRule ruleWith(String... fields) {
    return rule(withFields(fields));
  }

  /** Returns the only plan of a document that must be valid. */
  public static RateLimitPlan plan(String text) {
    RuleDocument document = valid(text);
    assertThat(document.plans()).hasSize(1);
    return document.plans().get(0);
  }

  /** Returns the lines that {@code validate} would print. */
  public static List<String> errors(String text) {
    ReadResult result = read(text);
    assertThat(result.valid()).isEqualTo(result.errors().isEmpty());
    return result.errors().stream().map(RuleProblem::toString).toList();
  }

  /** Returns the only error of a document. */
  public static RuleProblem error(String text) {
    List<RuleProblem> errors = read(text).errors();
    assertThat(errors).as("errors of:%n%s", text).hasSize(1);
    return errors.get(0);
  }

  /** Returns the only error of the rule whose fields are given, one per line. */
  public static RuleProblem errorWith(String... fields) {
    return error(withFields(fields));
  }

  public static List<String> warnings(String text) {
    ReadResult result = read(text);
    assertThat(result.errors()).isEmpty();
    return result.warnings().stream().map(RuleProblem::toString).toList();
  }

  /** Returns a document of one rule called {@code r}, its fields from line 3 on. */
  public static String withFields(String... fields) {
    return "rules:\n  - id: r\n    " + String.join("\n    ", fields) + "\n";
  }

  /** Returns the values of a condition that is written as a list. */
  public static List<?> texts(RateLimitRule rule, String condition) {
    return (List<?>) rule.match().condition(condition).orElseThrow().values();
  }

  /** Returns the values of a condition that is written as a mapping. */
  public static Map<Object, Object> named(RateLimitRule rule, String condition) {
    return new HashMap<>((Map<?, ?>) rule.match().condition(condition).orElseThrow().values());
  }
}
