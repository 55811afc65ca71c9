package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.rule.Action;
import dev.redline.core.spi.MetricsExporter.RuleResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Finds what applies to a check, by the rules in force and the settings. */
final class RuleLookup {
  private static final Logger LOG = System.getLogger(RateLimitEngine.class.getName());

  private final EngineSettings settings;
  private final AtomicBoolean warned = new AtomicBoolean();

  RuleLookup(EngineSettings settings) {
    this.settings = settings;
  }

  /**
   * Collects what applies in the evaluation.
   *
   * @param current the rules in force, or null if there never were any
   * @param ranks an empty list to work with
   * @return the result if no store is needed, else null
   */
  @Nullable RateLimitResult find(
      LimitCheck check, Evaluation evaluation, @Nullable ActiveRules current, RankList ranks) {
    if (current == null) {
      return missingRules("no rules are loaded");
    }
    if (check instanceof LimitCheck.OfRequest ofRequest) {
      return prepare(ofRequest, evaluation, current, ranks);
    }
    if (check instanceof LimitCheck.OfPlans ofPlans) {
      return prepare(ofPlans, evaluation, current);
    }
    return prepare((LimitCheck.OfRule) check, evaluation, current);
  }

  /** Returns the result if no rules are loaded, or those that a check names do not exist. */
  RateLimitResult missingRules(String what) {
    if (settings.missingRules() == EngineSettings.MissingRules.REJECT) {
      return RateLimitResult.of(Reason.MISSING_RULE_SET);
    }
    if (!warned.get() && warned.compareAndSet(false, true)) {
      LOG.log(Level.WARNING, what + ": every request is allowed, see rl.missing-rule-behavior");
    }
    return RateLimitResult.of(Reason.NO_MATCHING_RULE);
  }

  private @Nullable RateLimitResult prepare(
      LimitCheck.OfRequest check, Evaluation evaluation, ActiveRules current, RankList ranks) {
    ActiveRules source = source(check, current);
    if (source == null) {
      String id = settings.defaultRuleSetId().orElse("");
      return missingRules("the rule set '" + id + "' does not exist");
    }
    evaluation.match(index(check, source), check.request(), check.except(), source, ranks);
    RateLimitResult result = DecisionFinisher.finishWithoutStore(evaluation);
    if (result != null && result.reason() == Reason.NO_MATCHING_RULE && !evaluation.dryRun()) {
      source.noMatch(check.ruleSetId().or(settings::defaultRuleSetId)).count(RuleResult.ALLOWED);
    }
    return result;
  }

  /** Returns where the rules to look at are, or null if the default rule set does not exist. */
  @Nullable ActiveRules source(LimitCheck.OfRequest check, ActiveRules current) {
    if (check.ruleSetId().isPresent()) {
      String id = check.ruleSetId().get();
      ActiveRules source = current.with(id);
      if (source == null) {
        throw new UnknownNameException("rule set", id);
      }
      return source;
    }
    return settings.defaultRuleSetId().isPresent()
        ? current.with(settings.defaultRuleSetId().get())
        : current;
  }

  /** Returns the rules of the source to look at. */
  RuleIndex index(LimitCheck.OfRequest check, ActiveRules source) {
    Optional<String> named =
        check.ruleSetId().isPresent() ? check.ruleSetId() : settings.defaultRuleSetId();
    RuleIndex index = named.isPresent() ? source.compiled().index(named.get()) : null;
    return index == null ? source.compiled().everything() : index;
  }

  private static @Nullable RateLimitResult prepare(
      LimitCheck.OfPlans check, Evaluation evaluation, ActiveRules current) {
    List<String> names = check.plans();
    add(current.plan(names.get(0)), check, evaluation);
    for (int i = 1; i < names.size(); i++) {
      ActiveRules.Plan plan = current.plan(names.get(i));
      if (names.indexOf(names.get(i)) == i) {
        add(plan, check, evaluation);
      }
    }
    return null;
  }

  private static void add(ActiveRules.Plan plan, LimitCheck.OfPlans check, Evaluation evaluation) {
    String identity = IdentityScheme.ofPlanKey(check.key());
    evaluation.add(plan.limits(), identity, check.cost(), plan.meter());
  }

  private static @Nullable RateLimitResult prepare(
      LimitCheck.OfRule check, Evaluation evaluation, ActiveRules current) {
    CompiledRule rule = current.compiled().rule(check.ruleId());
    if (rule != null && !rule.rule().enabled()) {
      return RateLimitResult.builder(Reason.DISABLED)
          .rule(rule.rule().ruleSetId(), rule.rule().id())
          .build();
    }
    if (rule != null && rule.rule().action() != Action.LIMIT) {
      evaluation.applyAction(rule, current.meter(rule));
      return DecisionFinisher.finishWithoutStore(evaluation);
    }
    evaluation.add(check, rule, current.meter(rule));
    return null;
  }
}
