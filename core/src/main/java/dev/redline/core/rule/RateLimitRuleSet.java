package dev.redline.core.rule;

import dev.redline.core.internal.limit.AllowedValues;
import java.util.List;

/**
 * Rules under one id, in order of evaluation.
 *
 * @param id the rule set's name
 * @param rules its rules; may be empty
 */
public record RateLimitRuleSet(String id, List<RateLimitRule> rules) {
  /** Checks the id and that every rule belongs to this set. */
  public RateLimitRuleSet {
    AllowedValues.id("rule set id", id);
    rules = List.copyOf(rules);
    for (RateLimitRule rule : rules) {
      if (!rule.ruleSetId().equals(id)) {
        throw new IllegalArgumentException(
            "rule '" + rule.id() + "' belongs to '" + rule.ruleSetId() + "', not to '" + id + "'");
      }
    }
  }
}
