package dev.redline.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.rules.documents.RuleProblem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Writes the JSON of the admin API. */
final class AdminJson {
  static final JsonMapper MAPPER = new JsonMapper();

  private AdminJson() {}

  static ResponseEntity<byte[]> ok(Object body) {
    return respond(ResponseEntity.ok(), body);
  }

  static ResponseEntity<byte[]> respond(ResponseEntity.BodyBuilder response, Object body) {
    return response.contentType(MediaType.APPLICATION_JSON).body(MAPPER.writeValueAsBytes(body));
  }

  static ResponseEntity<byte[]> text(ResponseEntity.BodyBuilder response, String json) {
    return response.contentType(MediaType.APPLICATION_JSON).body(json.getBytes(UTF_8));
  }

  /** Returns why a text is not JSON, without the place where Jackson says that a value began. */
  static String problem(JacksonException e) {
    if (e.getOriginalMessage().startsWith("Trailing token")) {
      return "not JSON: there is more text after the first value";
    }
    return "not JSON: " + e.getOriginalMessage().replaceFirst(" \\(start marker at .*", "");
  }

  /** Returns a rule as JSON: for responses, the audit, and the ETag. */
  static String of(RateLimitRule rule) {
    return MAPPER.writeValueAsString(RuleDocumentWriter.toMap(rule));
  }

  /** Returns problems as JSON objects; fields that do not apply are absent. */
  static List<Map<String, Object>> of(List<RuleProblem> problems) {
    return problems.stream().map(AdminJson::of).toList();
  }

  private static Map<String, Object> of(RuleProblem problem) {
    Map<String, Object> fields = new LinkedHashMap<>();
    problem.rule().ifPresent(rule -> fields.put("rule", rule));
    problem.field().ifPresent(field -> fields.put("field", field));
    problem.value().ifPresent(value -> fields.put("value", value));
    fields.put("line", problem.line());
    fields.put("message", problem.message());
    problem.suggestion().ifPresent(meant -> fields.put("suggestion", meant));
    return fields;
  }
}
