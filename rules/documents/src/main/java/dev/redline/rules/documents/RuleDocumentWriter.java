package dev.redline.rules.documents;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import dev.redline.rules.documents.internal.syntax.DurationSyntax;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes rule documents: resolved values in the long form, defaults left out, readable again with
 * the same meaning.
 */
public final class RuleDocumentWriter {
  private RuleDocumentWriter() {}

  /** Returns the document as JSON text. */
  public static String toJson(RuleDocument document) {
    return JsonWriter.of(toMap(document));
  }

  /**
   * Returns the document as maps, lists, texts, numbers and booleans: rules of the default set
   * under {@code rules}, those of other sets under {@code ruleSets}.
   */
  public static Map<String, Object> toMap(RuleDocument document) {
    Map<String, List<Object>> sets = new LinkedHashMap<>();
    document.ruleSetIds().forEach(id -> sets.put(id, new ArrayList<>()));
    for (RateLimitRule rule : document.rules()) {
      sets.computeIfAbsent(rule.ruleSetId(), id -> new ArrayList<>()).add(rule(rule));
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("version", document.version());
    if (!document.plans().isEmpty() || sets.isEmpty()) {
      map.put("plans", document.plans().stream().map(RuleDocumentWriter::plan).toList());
    }
    List<Object> rules = sets.remove(RateLimitRule.DEFAULT_RULE_SET);
    if (rules != null) {
      map.put("rules", rules);
    }
    if (!sets.isEmpty()) {
      List<Object> ruleSets = new ArrayList<>();
      sets.forEach((id, members) -> ruleSets.add(orderedMap("id", id, "rules", members)));
      map.put("ruleSets", ruleSets);
    }
    return map;
  }

  /** Returns one rule as an item of a list of rules, with its rule set unless it is the default. */
  public static Map<String, Object> toMap(RateLimitRule rule) {
    Map<String, Object> map = rule(rule);
    if (!rule.ruleSetId().equals(RateLimitRule.DEFAULT_RULE_SET)) {
      map.put("ruleSetId", rule.ruleSetId());
    }
    return map;
  }

  private static Map<String, Object> plan(RateLimitPlan plan) {
    return orderedMap("id", plan.id(), "bands", bands(plan.bands()));
  }

  private static Map<String, Object> rule(RateLimitRule rule) {
    if (rule.keyResolver().isPresent()) {
      throw new IllegalArgumentException(
          "rule '" + rule.id() + "' has a key resolver of its own, which no document can hold");
    }
    Map<String, Object> map = orderedMap("id", rule.id());
    putUnless(map, "action", rule.action(), Action.LIMIT);
    putOneOrAll(map, "path", "paths", rule.paths());
    putOneOrAll(map, "method", "methods", List.copyOf(rule.methods()));
    if (!rule.match().isAny()) {
      map.put("match", match(rule.match()));
    }
    if (!rule.key().equals(List.of(KeyField.global()))) {
      putOneOrAll(map, "key", "key", rule.key().stream().map(KeyField::toString).toList());
    }
    putUnless(map, "onMissingIdentity", rule.onMissingIdentity(), OnMissingIdentity.USE_IP);
    if (!rule.bands().isEmpty()) {
      map.put("bands", bands(rule.bands()));
    }
    putOneOrAll(map, "plan", "plans", rule.plans());
    putUnless(map, "cost", rule.cost(), 1L);
    putUnless(map, "priority", rule.priority(), 0);
    putUnless(map, "stop", rule.stop(), false);
    putUnless(map, "enabled", rule.enabled(), true);
    putUnless(map, "mode", rule.mode(), Mode.ENFORCE);
    rule.onLimitExceed().ifPresent(value -> map.put("onLimitExceed", value.name()));
    rule.onStoreFailure().ifPresent(value -> map.put("onStoreFailure", value.name()));
    putUnless(map, "metadata", rule.metadata(), Map.of());
    rule.createdAt().ifPresent(value -> map.put("createdAt", value));
    rule.updatedAt().ifPresent(value -> map.put("updatedAt", value));
    return map;
  }

  private static Map<String, Object> match(RuleMatch match) {
    Map<String, Object> map = new LinkedHashMap<>();
    match.conditions().forEach(condition -> map.put(condition.type().name(), condition.values()));
    return map;
  }

  private static List<Object> bands(List<RateLimitBand> bands) {
    List<Object> list = new ArrayList<>();
    bands.forEach(band -> list.add(band(band)));
    return list;
  }

  private static Map<String, Object> band(RateLimitBand band) {
    Map<String, Object> map = new LinkedHashMap<>();
    band.label().ifPresent(label -> map.put("label", label));
    putUnless(map, "algorithm", band.algorithm(), Algorithm.TOKEN_BUCKET);
    map.put("capacity", band.capacity());
    if (band.algorithm() != Algorithm.TOKEN_BUCKET) {
      map.put("window", DurationSyntax.format(band.period()));
      return map;
    }
    map.put("refillTokens", band.refillTokens());
    map.put("refillPeriod", DurationSyntax.format(band.period()));
    putUnless(map, "refill", band.refill(), Refill.CONTINUOUS);
    return map;
  }

  private static void putUnless(
      Map<String, Object> map, String name, Object value, Object standard) {
    if (!value.equals(standard)) {
      map.put(name, value instanceof Enum<?> word ? word.name() : value);
    }
  }

  private static void putOneOrAll(
      Map<String, Object> map, String one, String all, List<String> values) {
    if (values.size() == 1) {
      map.put(one, values.get(0));
    } else if (!values.isEmpty()) {
      map.put(all, values);
    }
  }

  private static Map<String, Object> orderedMap(String name, Object value) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(name, value);
    return map;
  }

  private static Map<String, Object> orderedMap(
      String first, Object firstValue, String second, Object secondValue) {
    Map<String, Object> map = orderedMap(first, firstValue);
    map.put(second, secondValue);
    return map;
  }
}
