package dev.redline.server.rules;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.RuleDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Combines rule documents, and converts the rules in force back to a document. */
public final class RuleLayers {
  private RuleLayers() {}

  /**
   * Returns the document of a rule book. Its order depends only on the content: rules in order of
   * evaluation, plans and rule sets by id.
   *
   * @param version the version of the document
   */
  public static RuleDocument of(RuleBook book, long version) {
    return new RuleDocument(
        version,
        book.plans().values().stream().sorted(Comparator.comparing(RateLimitPlan::id)).toList(),
        book.rules(),
        book.ruleSets().keySet().stream().sorted().toList());
  }

  /** Merges two documents; a rule or plan of {@code above} replaces the one with the same id. */
  public static RuleDocument layered(RuleDocument below, RuleDocument above) {
    Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
    below.plans().forEach(plan -> plans.put(plan.id(), plan));
    above.plans().forEach(plan -> plans.put(plan.id(), plan));
    Map<String, RateLimitRule> rules = new LinkedHashMap<>();
    below.rules().forEach(rule -> rules.put(rule.id(), rule));
    above.rules().forEach(rule -> rules.put(rule.id(), rule));
    Set<String> sets = new LinkedHashSet<>(below.ruleSetIds());
    sets.addAll(above.ruleSetIds());
    return new RuleDocument(
        Math.max(below.version(), above.version()),
        List.copyOf(plans.values()),
        new ArrayList<>(rules.values()),
        List.copyOf(sets));
  }
}
