package dev.redline.core.rule;

import java.util.Optional;

/** Delivers rule sets by id. */
@FunctionalInterface
public interface RuleSetProvider {
  /** Returns the rule set, or nothing if there is none of that id. */
  Optional<RateLimitRuleSet> ruleSet(String id);
}
