package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.CompiledRules;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rule book in force with the meters of its rules and plans. Immutable: a change of rules swaps
 * the whole object (copy-on-write snapshot), so that a decision sees one rule book.
 */
final class ActiveRules {
  private static final String NONE = "none";

  private final RuleBook book;
  private final CompiledRules compiled;

  /** By rank; null without metrics, so that a decision does not touch that memory. */
  private final RuleMeter @Nullable [] meters;

  private final Map<String, Plan> plans = new HashMap<>();
  private final Map<String, RuleMeter> noMatch = new HashMap<>();
  private final RuleMeter noMatchAnywhere;
  private final ApplicationRules own;

  private ActiveRules(RuleBook book, MetricsExporter metrics, ApplicationRules own) {
    this.book = book;
    this.compiled = book.compiled();
    this.own = own;
    this.meters =
        metrics == MetricsExporter.NONE
            ? null
            : book.rules().stream()
                .map(rule -> metrics.meter(rule.ruleSetId(), rule.id()))
                .toArray(RuleMeter[]::new);
    for (String id : book.plans().keySet()) {
      plans.put(id, plan(Objects.requireNonNull(compiled.planLimits(id)), metrics));
    }
    book.ruleSets().keySet().forEach(id -> noMatch.put(id, metrics.meter(id, NONE)));
    this.noMatchAnywhere = metrics.meter(NONE, NONE);
  }

  /**
   * Returns the rules of a book.
   *
   * @param own where plans and rule sets come from that the book does not have
   */
  static ActiveRules of(RuleBook book, MetricsExporter metrics, ApplicationRules own) {
    return new ActiveRules(book, metrics, own);
  }

  static Plan plan(BucketLimits limits, MetricsExporter metrics) {
    return new Plan(limits, metrics.meter(NONE, limits.ownerId()));
  }

  RuleBook book() {
    return book;
  }

  CompiledRules compiled() {
    return compiled;
  }

  /** Returns the meter of a rule of this book, or of one that only the caller knows. */
  RuleMeter meter(@Nullable CompiledRule rule) {
    return rule == null || meters == null ? RuleMeter.NONE : meters[rule.rank()];
  }

  /**
   * Returns a plan.
   *
   * @throws UnknownNameException if there is none of that name
   */
  Plan plan(String id) {
    Plan plan = plans.get(id);
    if (plan == null) {
      plan = own.plan(id);
    }
    if (plan == null) {
      throw new UnknownNameException("plan", id);
    }
    return plan;
  }

  boolean hasPlan(String id) {
    return plans.containsKey(id) || own.plan(id) != null;
  }

  /** Returns the rules that a rule set is part of, these or others; null if there is none. */
  @Nullable ActiveRules with(String ruleSetId) {
    return compiled.index(ruleSetId) != null ? this : own.ruleSet(ruleSetId, book);
  }

  /** Returns the meter of requests that no rule of the set matches. */
  RuleMeter noMatch(Optional<String> ruleSetId) {
    return ruleSetId.map(noMatch::get).orElse(noMatchAnywhere);
  }

  /** A plan's limits, and where its results are counted. */
  record Plan(BucketLimits limits, RuleMeter meter) {
    /** Returns the acquisition from the bucket of a key. */
    Acquisition acquisition(String key, long cost) {
      return Acquisition.of(new RateLimitKey(limits, IdentityScheme.ofPlanKey(key)), cost);
    }
  }
}
