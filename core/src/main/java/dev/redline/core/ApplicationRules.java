package dev.redline.core;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RateLimitRuleSet;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.MetricsExporter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Plans and rule sets that the application brings itself, for names the rule book does not have.
 * They are asked for at every decision and compiled when they differ from last time.
 */
final class ApplicationRules {
  /** How many compiled plans, and rule sets, are kept; others are compiled at every decision. */
  private static final int MAX_KEPT = 1000;

  private final PlanRegistry plans;
  private final RuleSetProvider ruleSets;
  private final MetricsExporter metrics;
  private final Map<String, KeptPlan> keptPlans = new ConcurrentHashMap<>();
  private final Map<String, KeptSet> keptSets = new ConcurrentHashMap<>();

  private record KeptPlan(RateLimitPlan plan, ActiveRules.Plan compiled) {}

  private record KeptSet(
      RateLimitRuleSet set,
      Set<String> planNames,
      List<RateLimitPlan> plans,
      ActiveRules compiled) {}

  ApplicationRules(
      @Nullable PlanRegistry plans, @Nullable RuleSetProvider ruleSets, MetricsExporter metrics) {
    this.plans = plans == null ? id -> Optional.empty() : plans;
    this.ruleSets = ruleSets == null ? id -> Optional.empty() : ruleSets;
    this.metrics = metrics;
  }

  /** Returns the application's plan of that name, or null if it has none. */
  ActiveRules.@Nullable Plan plan(String id) {
    RateLimitPlan plan = plans.plan(id).orElse(null);
    if (plan == null) {
      return null;
    }
    KeptPlan kept = keptPlans.get(id);
    if (kept != null && kept.plan.equals(plan)) {
      return kept.compiled;
    }
    BucketLimits limits = new BucketLimits(OwnerKind.PLAN, plan.id(), plan.bands());
    ActiveRules.Plan compiled = ActiveRules.plan(limits, metrics);
    keep(keptPlans, id, new KeptPlan(plan, compiled));
    return compiled;
  }

  /**
   * Returns the application's rule set of that name as rules of their own, or null if it has none.
   *
   * @throws IllegalArgumentException if a rule names an unknown plan
   */
  @Nullable ActiveRules ruleSet(String id, RuleBook book) {
    RateLimitRuleSet set = ruleSets.ruleSet(id).orElse(null);
    if (set == null) {
      return null;
    }
    KeptSet kept = keptSets.get(id);
    if (kept != null && isSame(kept.set, set) && kept.plans.equals(plans(kept.planNames, book))) {
      return kept.compiled;
    }
    Set<String> names = new LinkedHashSet<>();
    for (RateLimitRule rule : set.rules()) {
      names.addAll(rule.plans());
    }
    List<RateLimitPlan> named = plans(names, book);
    RuleBook compiled =
        RuleBook.builder()
            .version(book.version())
            .identity(book.identity())
            .plans(named)
            .rules(set.rules())
            .ruleSet(id)
            .build();
    ActiveRules rules = ActiveRules.of(compiled, metrics, this);
    keep(keptSets, id, new KeptSet(set, names, named, rules));
    return rules;
  }

  @SuppressWarnings("ReferenceEquality") // the quick way, for a provider that keeps its rule sets
  private static boolean isSame(RateLimitRuleSet kept, RateLimitRuleSet set) {
    return kept == set || kept.equals(set);
  }

  private List<RateLimitPlan> plans(Set<String> names, RuleBook book) {
    if (names.isEmpty()) {
      return List.of();
    }
    List<RateLimitPlan> named = new ArrayList<>(names.size());
    names.forEach(name -> book.plan(name).or(() -> plans.plan(name)).ifPresent(named::add));
    return named;
  }

  private static <T> void keep(Map<String, T> kept, String id, T value) {
    if (kept.size() < MAX_KEPT || kept.containsKey(id)) {
      kept.put(id, value);
    }
  }
}
