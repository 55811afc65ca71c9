package dev.redline.rules.mongo;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import dev.redline.rules.documents.internal.parsing.NodeParser;
import dev.redline.rules.documents.internal.parsing.SyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a rule document says, as plain values, so that a text can be compared with the collections.
 * Nothing is validated here: an id may even occur twice.
 *
 * @param rules the rules by id; each has its rule set, and no field that only repeats a default
 * @param plans the plans by id
 * @param ruleSetIds all rule sets, those without rules included
 */
record RuleContent(
    SortedMap<String, List<Map<String, Object>>> rules,
    SortedMap<String, List<Map<String, Object>>> plans,
    Set<String> ruleSetIds) {
  static final RuleContent EMPTY = new RuleContent(new TreeMap<>(), new TreeMap<>(), Set.of());

  private static final String ID = "id";
  private static final String RULE_SET = "ruleSetId";

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is no rule document at all
   */
  static RuleContent ofText(String text) {
    Object root;
    try {
      var node = NodeParser.parse(text);
      root = node == null ? null : PlainValues.of(node);
    } catch (SyntaxException e) {
      throw new IllegalArgumentException("not a rule document: " + e.getMessage(), e);
    }
    SortedMap<String, List<Map<String, Object>>> rules = new TreeMap<>();
    Set<String> sets = new TreeSet<>();
    if (root instanceof List<?> bare) {
      addRules(rules, sets, bare, RateLimitRule.DEFAULT_RULE_SET);
      return new RuleContent(rules, new TreeMap<>(), sets);
    }
    if (!(root instanceof Map<?, ?> document)) {
      throw new IllegalArgumentException("not a rule document: neither a mapping nor a list");
    }
    if (document.get("rules") instanceof List<?> items) {
      addRules(rules, sets, items, RateLimitRule.DEFAULT_RULE_SET);
    }
    for (Object item : document.get("ruleSets") instanceof List<?> items ? items : List.of()) {
      if (item instanceof Map<?, ?> set && id(set) instanceof String id) {
        addRules(rules, sets, set.get("rules") instanceof List<?> all ? all : List.of(), id);
      }
    }
    SortedMap<String, List<Map<String, Object>>> plans = new TreeMap<>();
    for (Object item : document.get("plans") instanceof List<?> items ? items : List.of()) {
      if (item instanceof Map<?, ?> plan) {
        add(plans, plan(copy(plan)));
      }
    }
    return new RuleContent(rules, plans, sets);
  }

  private static void addRules(
      SortedMap<String, List<Map<String, Object>>> rules,
      Set<String> sets,
      List<?> items,
      String enclosingSet) {
    if (items.isEmpty()) {
      sets.add(enclosingSet);
    }
    for (Object item : items) {
      if (item instanceof Map<?, ?> written) {
        Map<String, Object> rule = copy(written);
        rule.putIfAbsent(RULE_SET, enclosingSet);
        rule = rule(rule);
        sets.add(String.valueOf(rule.get(RULE_SET)));
        add(rules, rule);
      }
    }
  }

  /**
   * Returns the content of the collections.
   *
   * @param known the rule sets that stay even without rules
   */
  static RuleContent of(List<StoredDocument> rules, List<StoredDocument> plans, Set<String> known) {
    SortedMap<String, List<Map<String, Object>>> byId = new TreeMap<>();
    Set<String> sets = new TreeSet<>(known);
    for (StoredDocument rule : rules) {
      sets.add(String.valueOf(rule.value().get(RULE_SET)));
      add(byId, rule.value());
    }
    SortedMap<String, List<Map<String, Object>>> plansById = new TreeMap<>();
    plans.forEach(plan -> add(plansById, plan.value()));
    return new RuleContent(byId, plansById, sets);
  }

  /** Returns a rule in the form in which rules are compared. */
  static Map<String, Object> rule(Map<String, Object> written) {
    Map<String, Object> rule = plan(written);
    rule.putIfAbsent(RULE_SET, RateLimitRule.DEFAULT_RULE_SET);
    rule.remove("enabled", true);
    rule.remove("priority", 0L);
    return rule;
  }

  /** Returns a plan in the form in which plans are compared. */
  static Map<String, Object> plan(Map<String, Object> written) {
    Map<String, Object> plan = new TreeMap<>(written);
    Object id = plan.remove("_id");
    if (id != null) {
      plan.putIfAbsent(ID, id);
    }
    // A number is an id, too: in YAML and JSON a reader takes it as text.
    plan.computeIfPresent(
        ID, (name, value) -> value instanceof Map<?, ?> ? value : String.valueOf(value));
    return plan;
  }

  private static @Nullable Object id(Map<?, ?> item) {
    Object id = item.get(ID);
    return id == null ? item.get("_id") : id;
  }

  private static Map<String, Object> copy(Map<?, ?> map) {
    Map<String, Object> copy = new TreeMap<>();
    map.forEach((name, value) -> copy.put(String.valueOf(name), value));
    return copy;
  }

  private static void add(
      SortedMap<String, List<Map<String, Object>>> byId, Map<String, Object> value) {
    byId.computeIfAbsent(String.valueOf(value.get(ID)), id -> new ArrayList<>(1)).add(value);
  }

  /** Returns whether there are neither rules nor plans. */
  boolean isEmpty() {
    return rules.isEmpty() && plans.isEmpty();
  }

  /** Returns whether rules and plans are the same; rule sets without rules do not count. */
  boolean hasSameDocuments(RuleContent other) {
    return rules.equals(other.rules) && plans.equals(other.plans);
  }

  /** Returns the ids whose values differ. */
  static Set<String> changed(
      SortedMap<String, List<Map<String, Object>>> before,
      SortedMap<String, List<Map<String, Object>>> after) {
    Set<String> ids = new TreeSet<>(before.keySet());
    ids.addAll(after.keySet());
    ids.removeIf(
        id -> before.getOrDefault(id, List.of()).equals(after.getOrDefault(id, List.of())));
    return ids;
  }

  /** Returns the document as JSON text. */
  String toText(long version) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("version", version);
    if (!plans.isEmpty()) {
      document.put("plans", items(plans));
    }
    Set<String> withoutRules = new TreeSet<>(ruleSetIds);
    rules
        .values()
        .forEach(
            values ->
                values.forEach(rule -> withoutRules.remove(String.valueOf(rule.get(RULE_SET)))));
    if (!rules.isEmpty() || (plans.isEmpty() && withoutRules.isEmpty())) {
      document.put("rules", items(rules));
    }
    if (!withoutRules.isEmpty()) {
      document.put(
          "ruleSets",
          withoutRules.stream()
              .map(id -> new TreeMap<String, Object>(Map.of(ID, id, "rules", List.of())))
              .toList());
    }
    return JsonWriter.of(document);
  }

  private static List<Map<String, Object>> items(
      SortedMap<String, List<Map<String, Object>>> byId) {
    List<Map<String, Object>> items = new ArrayList<>();
    for (List<Map<String, Object>> values : byId.values()) {
      for (Map<String, Object> value : values) {
        Map<String, Object> item = new LinkedHashMap<>();
        // The id first, for readers.
        if (value.containsKey(ID)) {
          item.put(ID, value.get(ID));
        }
        item.putAll(value);
        items.add(item);
      }
    }
    return items;
  }
}
