package dev.redline.core;

import dev.redline.core.rule.CompiledRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A rule book in force, with the meters of its rules and plans beside it. */
final class Rules {
  private static final String NONE = "none";

  private final RuleBook book;
  private final RuleMeter[] meters;
  private final RuleMeter[] silent;
  private final Map<String, RuleMeter> planMeters = new HashMap<>();
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
    book.plans().keySet().forEach(id -> planMeters.put(id, metrics.meter(NONE, id)));
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

  RuleMeter planMeter(String id, boolean dryRun) {
    return dryRun ? RuleMeter.NONE : planMeters.getOrDefault(id, RuleMeter.NONE);
  }

  /** Returns the meter of requests that no rule of the set matches. */
  RuleMeter noMatch(Optional<String> ruleSetId) {
    return ruleSetId.map(noMatch::get).orElse(noMatchAnywhere);
  }
}
