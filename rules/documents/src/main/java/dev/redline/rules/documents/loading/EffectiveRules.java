package dev.redline.rules.documents.loading;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.RuleDocument;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules in force, and the contribution of each source.
 *
 * @param version their version; 0 if there are none
 * @param document all sources as one document: a later source's rule or plan has replaced an
 *     earlier one of the same id
 * @param contributions the document of each source that has one, weakest first
 */
public record EffectiveRules(
    long version, RuleDocument document, List<Contribution> contributions) {
  /** No rules are in force. */
  public static final EffectiveRules NONE =
      new EffectiveRules(0, new RuleDocument(1, List.of(), List.of(), List.of()), List.of());

  /** The document of one source, including rules that a stronger source replaces. */
  public record Contribution(ConfigProvider source, RuleDocument document) {
    /** Returns whether the source has a rule of this id. */
    public boolean hasRule(String id) {
      return document.rules().stream().anyMatch(rule -> rule.id().equals(id));
    }
  }

  /** Copies the list. */
  public EffectiveRules {
    contributions = List.copyOf(contributions);
  }

  /** Returns the sources that have a rule of this id, weakest first; the last one's is in force. */
  public List<ConfigProvider> sourcesOf(String ruleId) {
    return contributions.stream()
        .filter(contribution -> contribution.hasRule(ruleId))
        .map(Contribution::source)
        .toList();
  }

  /** Returns for each rule id the source whose rule is in force. */
  public Map<String, Contribution> origins() {
    Map<String, Contribution> origins = new HashMap<>();
    for (Contribution contribution : contributions) {
      contribution.document().rules().forEach(rule -> origins.put(rule.id(), contribution));
    }
    return origins;
  }

  /** Merges documents, weakest first; a rule takes the position of the one it replaces. */
  static RuleDocument merge(List<RuleDocument> weakestFirst) {
    if (weakestFirst.size() == 1) {
      return weakestFirst.get(0);
    }
    long version = 1;
    Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
    Map<String, RateLimitRule> rules = new LinkedHashMap<>();
    Set<String> ruleSetIds = new LinkedHashSet<>();
    for (RuleDocument document : weakestFirst) {
      version = Math.max(version, document.version());
      document.plans().forEach(plan -> plans.put(plan.id(), plan));
      document.rules().forEach(rule -> rules.put(rule.id(), rule));
      ruleSetIds.addAll(document.ruleSetIds());
    }
    return new RuleDocument(
        version, List.copyOf(plans.values()), List.copyOf(rules.values()), List.copyOf(ruleSetIds));
  }
}
