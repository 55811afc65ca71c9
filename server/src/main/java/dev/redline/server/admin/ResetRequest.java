package dev.redline.server.admin;

import dev.redline.core.BucketReset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The body of {@code POST buckets/reset}.
 *
 * @param reset the buckets to reset
 * @param ruleId the rule, if one was named
 * @param ruleSetId the rule set, if one was named
 */
record ResetRequest(BucketReset reset, Optional<String> ruleId, Optional<String> ruleSetId) {
  private static final Set<String> FIELDS = Set.of("ruleSetId", "ruleId", "identity");
  private static final String FORMS = "use {ruleSetId}, {ruleId} or {ruleId, identity}";

  static ResetRequest of(String json) {
    JsonNode body;
    try {
      body = AdminJson.MAPPER.readTree(json);
    } catch (JacksonException e) {
      throw new AdminProblem(400, AdminJson.problem(e));
    }
    if (!body.isObject()) {
      throw new AdminProblem(400, "the body must be a JSON object; " + FORMS);
    }
    body.propertyNames().stream()
        .filter(name -> !FIELDS.contains(name))
        .findFirst()
        .ifPresent(
            name -> {
              throw new AdminProblem(400, name + ": unknown field; " + FORMS);
            });
    Optional<String> ruleSetId = text(body, "ruleSetId");
    Optional<String> ruleId = text(body, "ruleId");
    boolean ofCaller = body.hasNonNull("identity");
    if (ruleSetId.isPresent() == ruleId.isPresent() || (ofCaller && ruleId.isEmpty())) {
      throw new AdminProblem(400, FORMS);
    }
    if (ruleSetId.isPresent()) {
      return new ResetRequest(BucketReset.ofRuleSet(ruleSetId.get()), ruleId, ruleSetId);
    }
    String rule = ruleId.orElseThrow();
    BucketReset reset =
        ofCaller
            ? BucketReset.ofCaller(rule, identity(body.get("identity")))
            : BucketReset.ofRule(rule);
    return new ResetRequest(reset, ruleId, ruleSetId);
  }

  private static Optional<String> text(JsonNode body, String name) {
    if (!body.hasNonNull(name)) {
      return Optional.empty();
    }
    if (!body.get(name).isString()) {
      throw new AdminProblem(400, name + ": must be a string");
    }
    return Optional.of(body.get(name).stringValue());
  }

  private static List<String> identity(JsonNode node) {
    if (node.isString()) {
      return List.of(node.stringValue());
    }
    List<String> values = new ArrayList<>();
    for (JsonNode value : node) {
      if (!node.isArray() || !value.isString()) {
        throw new AdminProblem(400, "identity: must be a string, or a list of strings");
      }
      values.add(value.stringValue());
    }
    if (!node.isArray()) {
      throw new AdminProblem(400, "identity: must be a string, or a list of strings");
    }
    return values;
  }
}
