package dev.redline.core;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.CompiledRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A rule book in force, with the meters of its rules and plans beside it. */
final class Rules {
  private static final String NONE = "none";

  private final RuleBook book;
  private final RuleMeter[] meters;
  private final RuleMeter[] silent;
  private final Map<String, Plan> plans = new HashMap<>();
  private final Map<String, RuleMeter> noMatch = new HashMap<>();
  private final RuleMeter noMatchAnywhere;

  private Rules(RuleBook book, MetricsExporter metrics) {
    this.book = book;
    this.meters = new RuleMeter[book.rules().size()];
    this.silent = new RuleMeter[meters.length];
    Arrays.fill(silent, RuleMeter.NONE);
    for (CompiledRule rule : book.rules()) {
      meters[rule.rank()] = metrics.meter(rule.rule().ruleSetId(), rule.rule().id());
    }
    for (String id : book.plans().keySet()) {
      BucketLimits limits = Objects.requireNonNull(book.planLimits(id));
      plans.put(id, new Plan(limits, metrics.meter(NONE, id)));
    }
    book.ruleSets().keySet().forEach(id -> noMatch.put(id, metrics.meter(id, NONE)));
    this.noMatchAnywhere = metrics.meter(NONE, NONE);
  }

  static Rules of(RuleBook book, MetricsExporter metrics) {
    return new Rules(book, metrics);
  }

  RuleBook book() {
    return book;
  }

  /** Returns the meters of all rules by rank; of a dry run, which counts nothing, silent ones. */
  RuleMeter[] meters(boolean dryRun) {
    return dryRun ? silent : meters;
  }

  /**
   * Returns a plan.
   *
   * @throws UnknownNameException if there is none of that name
   */
  Plan plan(String id) {
    Plan plan = plans.get(id);
    if (plan == null) {
      throw new UnknownNameException("plan", id);
    }
    return plan;
  }

  /** Returns the meter of requests that no rule of the set matches. */
  RuleMeter noMatch(Optional<String> ruleSetId) {
    return ruleSetId.map(noMatch::get).orElse(noMatchAnywhere);
  }

  /** A plan's limits, and where its verdicts are counted. */
  record Plan(BucketLimits limits, RuleMeter meter) {
    /** Returns the meter; of a dry run, which counts nothing, a silent one. */
    RuleMeter meter(boolean dryRun) {
      return dryRun ? RuleMeter.NONE : meter;
    }
  }
}
