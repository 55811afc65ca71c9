package dev.redline.core;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rule book in force, with the claims of its rules and plans beside it. */
final class ActiveRules {
  private static final String NONE = "none";
  private static final LimitOwner UNKNOWN = new LimitOwner(null, RuleMeter.NONE);

  private final RuleBook book;
  private final LimitOwner[] claims;
  private final Map<String, Plan> plans = new HashMap<>();
  private final Map<String, RuleMeter> noMatch = new HashMap<>();
  private final RuleMeter noMatchAnywhere;
  private final ApplicationRules own;

  private ActiveRules(RuleBook book, MetricsExporter metrics, ApplicationRules own) {
    this.book = book;
    this.own = own;
    this.claims = new LimitOwner[book.rules().size()];
    for (CompiledRule rule : book.rules()) {
      RuleMeter meter = metrics.meter(rule.rule().ruleSetId(), rule.rule().id());
      claims[rule.rank()] = new LimitOwner(rule, meter);
    }
    for (String id : book.plans().keySet()) {
      plans.put(id, plan(Objects.requireNonNull(book.planLimits(id)), metrics));
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
    return new Plan(limits, new LimitOwner(null, metrics.meter(NONE, limits.ownerId())));
  }

  RuleBook book() {
    return book;
  }

  /** Returns the claim of a rule of this book. */
  LimitOwner claim(CompiledRule rule) {
    return claims[rule.rank()];
  }

  /** Returns the claim of a rule of this book, or of one that only the caller knows. */
  LimitOwner claimOf(@Nullable CompiledRule rule) {
    return rule == null ? UNKNOWN : claim(rule);
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

  /** Returns the rules that a rule set is part of, these or others; null if there is none. */
  @Nullable ActiveRules with(String ruleSetId) {
    return book.index(ruleSetId) != null ? this : own.ruleSet(ruleSetId, book);
  }

  /** Returns the meter of requests that no rule of the set matches. */
  RuleMeter noMatch(Optional<String> ruleSetId) {
    return ruleSetId.map(noMatch::get).orElse(noMatchAnywhere);
  }

  /** A plan's limits, and its claim on them. */
  record Plan(BucketLimits limits, LimitOwner claim) {}
}
