package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.rule.Action;
import dev.redline.core.spi.MetricsExporter.Verdict;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Finds out what applies to a question, by the rules in force and the settings. */
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
   * @return the result if no store has to be asked, else null
   */
  @Nullable RateLimitResult find(
      LimitCheck question, Evaluation evaluation, @Nullable ActiveRules current, boolean dryRun) {
    if (current == null) {
      return missingRules("no rules are loaded");
    }
    if (question instanceof LimitCheck.OfRequest ofRequest) {
      return prepare(ofRequest, evaluation, current, dryRun);
    }
    if (question instanceof LimitCheck.OfPlans ofPlans) {
      return prepare(ofPlans, evaluation, current);
    }
    return prepare((LimitCheck.OfRule) question, evaluation, current);
  }

  private RateLimitResult missingRules(String what) {
    if (settings.missingRules() == EngineSettings.MissingRules.REJECT) {
      return RateLimitResult.of(Reason.MISSING_RULE_SET);
    }
    if (!warned.get() && warned.compareAndSet(false, true)) {
      LOG.log(Level.WARNING, what + ": every request is allowed, see rl.missing-rule-behavior");
    }
    return RateLimitResult.of(Reason.NO_MATCHING_RULE);
  }

  private @Nullable RateLimitResult prepare(
      LimitCheck.OfRequest question, Evaluation evaluation, ActiveRules current, boolean dryRun) {
    ActiveRules source = source(question, current);
    if (source == null) {
      String id = settings.defaultRuleSetId().orElse("");
      return missingRules("the rule set '" + id + "' does not exist");
    }
    evaluation.match(index(question, source), question.request(), source);
    RateLimitResult result = evaluation.withoutStore();
    if (result != null && result.reason() == Reason.NO_MATCHING_RULE && !dryRun) {
      source.noMatch(question.ruleSetId().or(settings::defaultRuleSetId)).count(Verdict.ALLOWED);
    }
    return result;
  }

  /** Returns where the rules to look at are, or null if the default rule set does not exist. */
  @Nullable ActiveRules source(LimitCheck.OfRequest question, ActiveRules current) {
    if (question.ruleSetId().isPresent()) {
      String id = question.ruleSetId().get();
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
  RuleIndex index(LimitCheck.OfRequest question, ActiveRules source) {
    Optional<String> named =
        question.ruleSetId().isPresent() ? question.ruleSetId() : settings.defaultRuleSetId();
    RuleIndex index = named.isPresent() ? source.book().index(named.get()) : null;
    return index == null ? source.book().everything() : index;
  }

  private static @Nullable RateLimitResult prepare(
      LimitCheck.OfPlans question, Evaluation evaluation, ActiveRules current) {
    List<String> names = question.plans();
    demand(current.plan(names.get(0)), question, evaluation);
    for (int i = 1; i < names.size(); i++) {
      ActiveRules.Plan plan = current.plan(names.get(i));
      if (names.indexOf(names.get(i)) == i) {
        demand(plan, question, evaluation);
      }
    }
    return null;
  }

  private static void demand(
      ActiveRules.Plan plan, LimitCheck.OfPlans question, Evaluation evaluation) {
    String identity = IdentityScheme.ofPlanKey(question.key());
    evaluation.demand(plan.limits(), identity, question.cost(), plan.claim());
  }

  private static @Nullable RateLimitResult prepare(
      LimitCheck.OfRule question, Evaluation evaluation, ActiveRules current) {
    CompiledRule rule = current.book().rule(question.ruleId()).orElse(null);
    if (rule != null && !rule.rule().enabled()) {
      return RateLimitResult.builder(Reason.DISABLED)
          .rule(rule.rule().ruleSetId(), rule.rule().id())
          .build();
    }
    if (rule != null && rule.rule().action() != Action.LIMIT) {
      evaluation.act(rule, current.claim(rule));
      return evaluation.withoutStore();
    }
    evaluation.demand(question, rule, current.claimOf(rule));
    return null;
  }
}
