package dev.redline.rules.documents.loading;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The differences between two documents, for log lines. */
record RuleChanges(List<String> added, List<String> changed, List<String> removed, boolean sets) {
  private static final int MAX_NAMED = 20;

  static RuleChanges between(RuleDocument before, RuleDocument after) {
    Map<String, Object> old = things(before);
    Map<String, Object> now = things(after);
    List<String> added = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    now.forEach(
        (name, thing) -> {
          Object was = old.get(name);
          if (was == null) {
            added.add(name);
          } else if (!same(was, thing)) {
            changed.add(name);
          }
        });
    Set<String> removed = new LinkedHashSet<>(old.keySet());
    removed.removeAll(now.keySet());
    boolean sets = !Set.copyOf(before.ruleSetIds()).equals(Set.copyOf(after.ruleSetIds()));
    return new RuleChanges(added, changed, List.copyOf(removed), sets);
  }

  private static Map<String, Object> things(RuleDocument document) {
    Map<String, Object> things = new LinkedHashMap<>();
    document.plans().forEach(plan -> things.put("plan " + plan.id(), plan));
    document.rules().forEach(rule -> things.put(rule.id(), rule));
    return things;
  }

  private static boolean same(Object was, Object is) {
    if (was == is) {
      return true;
    }
    if (was instanceof RateLimitPlan || is instanceof RateLimitPlan) {
      return was.equals(is);
    }
    return RuleDocumentWriter.toMap((RateLimitRule) was)
        .equals(RuleDocumentWriter.toMap((RateLimitRule) is));
  }

  boolean none() {
    return added.isEmpty() && changed.isEmpty() && removed.isEmpty() && !sets;
  }

  /** Returns the changes rule by rule, the first of each kind by name. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    name(parts, "added", added);
    name(parts, "changed", changed);
    name(parts, "removed", removed);
    return parts.isEmpty() ? "no rule changed" : String.join("; ", parts);
  }

  private static void name(List<String> parts, String verb, List<String> names) {
    if (!names.isEmpty()) {
      String more = names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "";
      parts.add(
          verb
              + " "
              + String.join(", ", names.subList(0, Math.min(MAX_NAMED, names.size())))
              + more);
    }
  }
}
