package dev.redline.rules.documents.reading;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of one kind of mapping, with their aliases. */
final class FieldNames {
  static final FieldNames DOCUMENT = of("version", "plans", "rules", "ruleSets", "$schema");
  static final FieldNames RULE_SET = of("id", "rules").alias("_id", "id");
  static final FieldNames PLAN = of("id", "algorithm", "limit", "bands").alias("_id", "id");
  static final FieldNames RULE =
      of(
              "id",
              "ruleSetId",
              "action",
              "path",
              "method",
              "match",
              "key",
              "limitScope",
              "compositeKeyFields",
              "onMissingIdentity",
              "algorithm",
              "limit",
              "bands",
              "plan",
              "plans",
              "cost",
              "priority",
              "stop",
              "enabled",
              "mode",
              "onLimitExceed",
              "onStoreFailure",
              "metadata",
              "createdAt",
              "updatedAt")
          .alias("_id", "id")
          .alias("paths", "path")
          .alias("methods", "method")
          .alias("missingIdentity", "onMissingIdentity")
          .alias("final", "stop")
          .alias("attributes", "metadata");
  static final FieldNames BAND =
      of(
          "label",
          "algorithm",
          "capacity",
          "limit",
          "burst",
          "refillTokens",
          "refillPeriod",
          "refillSeconds",
          "window",
          "windowMs",
          "refillTokensPerSecond",
          "refill");

  private final Map<String, String> canonicalBySpelling = new LinkedHashMap<>();

  private FieldNames() {}

  private static FieldNames of(String... names) {
    return of(List.of(names));
  }

  static FieldNames of(List<String> names) {
    FieldNames fields = new FieldNames();
    names.forEach(name -> fields.canonicalBySpelling.put(name, name));
    return fields;
  }

  private FieldNames alias(String spelling, String name) {
    canonicalBySpelling.put(spelling, name);
    return this;
  }

  /** Returns the canonical name of a spelling, or null if there is no such field. */
  @Nullable String canonical(String spelling) {
    return canonicalBySpelling.get(spelling);
  }

  /** Returns all spellings. */
  List<String> spellings() {
    return List.copyOf(canonicalBySpelling.keySet());
  }
}
