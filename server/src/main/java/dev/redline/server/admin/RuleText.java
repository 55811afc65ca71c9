package dev.redline.server.admin;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The JSON object of one rule as a client sent it. */
final class RuleText {
  private static final RuleDocumentReader READER = RuleDocumentReader.withoutPlaceholders();

  /** The field that shows the source of a rule; ignored when a client sends it back. */
  static final String ORIGIN = "origin";

  private final String text;

  private RuleText(String text) {
    this.text = text;
  }

  /**
   * Creates the text of a rule that has an id.
   *
   * @throws AdminProblem if the text is not a JSON object
   */
  static RuleText of(String json) {
    return new RuleText(withoutOrigin(json, parse(json)));
  }

  private static String withoutOrigin(String json, JsonNode rule) {
    if (!rule.has(ORIGIN)) {
      return json;
    }
    ((ObjectNode) rule).remove(ORIGIN);
    return AdminJson.MAPPER.writeValueAsString(rule);
  }

  /** Creates the text of a rule; adds the id if it is missing. */
  static RuleText of(String sent, String id) {
    JsonNode rule = parse(sent);
    String json = withoutOrigin(sent, rule);
    if (rule.hasNonNull("id") || rule.hasNonNull("_id")) {
      return new RuleText(json);
    }
    if (rule.has("id") || rule.has("_id")) {
      ((ObjectNode) rule).remove("id");
      ((ObjectNode) rule).remove("_id");
      json = AdminJson.MAPPER.writeValueAsString(rule);
    }
    int open = json.indexOf('{') + 1;
    String comma = rule.isEmpty() ? "" : ",";
    String field = "\"id\":" + AdminJson.MAPPER.writeValueAsString(id) + comma;
    return new RuleText(json.substring(0, open) + field + json.substring(open));
  }

  private static JsonNode parse(String json) {
    try {
      JsonNode node = AdminJson.MAPPER.readTree(json);
      if (node.isObject()) {
        return node;
      }
      throw AdminProblem.invalid(List.of(problem(1, "a rule is a JSON object")));
    } catch (JacksonException e) {
      int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
      throw AdminProblem.invalid(List.of(problem(line, AdminJson.problem(e))));
    }
  }

  private static RuleProblem problem(int line, String message) {
    return new RuleProblem(
        "rule",
        line,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        message,
        Optional.empty());
  }

  /**
   * Reads the rule.
   *
   * @param plans the plans it may name
   * @throws AdminProblem if it is not valid
   */
  RateLimitRule read(Set<String> plans) {
    ReadResult read = READER.read(List.of(new Document("rule", "[" + text + "\n]")), plans);
    if (!read.valid() || read.document().rules().size() != 1) {
      throw AdminProblem.invalid(read.errors());
    }
    return read.document().rules().get(0);
  }
}
