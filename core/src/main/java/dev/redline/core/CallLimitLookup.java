package dev.redline.core;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter.RuleResult;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds what applies to a call with several limits. Declared rules need no loaded rules; plans and
 * rule sets do.
 */
final class CallLimitLookup {
  private final RuleLookup lookup;

  CallLimitLookup(RuleLookup lookup) {
    this.lookup = lookup;
  }

  /**
   * Collects what applies in the evaluation.
   *
   * @param loaded the rules in force, or null if there never were any
   * @param declared the rules that have the declared ones: those in force, if any; null if nothing
   *     was declared either
   * @param ranks an empty list to work with
   * @return the result if no store is needed, else null
   */
  @Nullable RateLimitResult find(
      LimitCheck.OfLimits check,
      Evaluation evaluation,
      @Nullable ActiveRules loaded,
      @Nullable ActiveRules declared,
      RankList ranks) {
    RateLimitRule disabled = null;
    int size = check.limits().size();
    for (int i = 0; i < size; i++) {
      CallLimit limit = check.limits().get(i);
      if (size > 1 || !(limit instanceof CallLimit.OfRule)) {
        // The only rule of a call needs nothing else: it has the policy, and its bucket is alone.
        evaluation.addFor(limit);
      }
      if (limit instanceof CallLimit.OfRule ofRule) {
        CompiledRule rule = rule(ofRule, declared);
        if (!apply(ofRule, rule, evaluation, Objects.requireNonNull(declared))) {
          disabled = rule.rule();
        }
      } else if (loaded == null) {
        RateLimitResult result = lookup.missingRules("no rules are loaded");
        if (!result.allowed()) {
          return result;
        }
      } else if (limit instanceof CallLimit.OfPlan ofPlan) {
        ActiveRules.Plan plan = loaded.plan(ofPlan.plan());
        evaluation.add(plan.limits(), ofPlan.identity(), ofPlan.cost(), plan.meter());
      } else {
        ranks.clear();
        RateLimitResult result =
            match((CallLimit.OfRuleSet) limit, check, evaluation, loaded, ranks);
        if (!result.allowed()) {
          return result;
        }
      }
    }
    RateLimitResult result = DecisionFinisher.finishWithoutStore(evaluation);
    return disabled != null && evaluation.isEmpty() ? disabled(disabled) : result;
  }

  private static RateLimitResult disabled(RateLimitRule rule) {
    return RateLimitResult.builder(Reason.DISABLED).rule(rule.ruleSetId(), rule.id()).build();
  }

  /** Returns the rule in force of the declared one's id. */
  static CompiledRule rule(CallLimit.OfRule limit, @Nullable ActiveRules declared) {
    CompiledRule rule = declared == null ? null : declared.compiled().rule(limit.rule().id());
    if (rule == null) {
      throw new UnknownNameException("rule", limit.rule().id());
    }
    return rule;
  }

  /** Applies a rule; returns false if it is disabled. */
  private static boolean apply(
      CallLimit.OfRule limit, CompiledRule rule, Evaluation evaluation, ActiveRules rules) {
    if (!rule.rule().enabled()) {
      return false;
    }
    if (rule.rule().action() == Action.LIMIT) {
      evaluation.add(limit, rule, rules.meter(rule));
    } else {
      evaluation.applyAction(rule, rules.meter(rule));
    }
    return true;
  }

  /** Applies the rules of a set; returns a denial if the set does not exist and has to. */
  private RateLimitResult match(
      CallLimit.OfRuleSet limit,
      LimitCheck.OfLimits check,
      Evaluation evaluation,
      ActiveRules loaded,
      RankList ranks) {
    ActiveRules source = loaded.with(limit.ruleSetId());
    if (source == null) {
      return lookup.missingRules("the rule set '" + limit.ruleSetId() + "' does not exist");
    }
    int before = evaluation.applied();
    evaluation.match(
        Objects.requireNonNull(source.compiled().index(limit.ruleSetId())),
        check.request(),
        Set.of(),
        source,
        ranks);
    if (evaluation.applied() == before && !evaluation.dryRun()) {
      source.noMatch(Optional.of(limit.ruleSetId())).count(RuleResult.ALLOWED);
    }
    return RateLimitResult.of(Reason.NO_MATCHING_RULE);
  }
}
