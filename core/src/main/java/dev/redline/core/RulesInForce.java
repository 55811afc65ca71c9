package dev.redline.core;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force: a copy-on-write snapshot. A decision reads the reference once and sees one
 * whole rule book. Changes are made one at a time.
 */
final class RulesInForce {
  private final StoreWithFallback stores;
  private final ApplicationRules ownRules;
  private final MetricsExporter metrics;
  private final RuleChangeNotifier ruleChanges;
  private volatile @Nullable ActiveRules rules;

  /** The rules in force, or the declared ones alone before there are any. */
  private volatile @Nullable ActiveRules declaredRules;

  private final Map<String, RateLimitRule> declared = new LinkedHashMap<>();

  RulesInForce(
      StoreWithFallback stores,
      ApplicationRules ownRules,
      MetricsExporter metrics,
      RuleChangeNotifier ruleChanges) {
    this.stores = stores;
    this.ownRules = ownRules;
    this.metrics = metrics;
    this.ruleChanges = ruleChanges;
  }

  /** Returns the rules in force, or null if there never were any. */
  @Nullable ActiveRules current() {
    return rules;
  }

  /** Returns the rules in force, or the declared ones alone before there are any. */
  @Nullable ActiveRules withDeclared() {
    return declaredRules;
  }

  private @Nullable RuleBook book() {
    ActiveRules current = rules;
    return current == null ? null : current.book();
  }

  /** Puts a rule book in force, with the declared rules. */
  void use(RuleBook book) {
    stores.checkFallback(book);
    synchronized (ruleChanges) {
      RuleBook before = book();
      RuleBook next = book.withDeclared(List.copyOf(declared.values()));
      putInForce(next);
      rules = declaredRules;
      stores.rulesChanged();
      ruleChanges.notifyOf(before, next);
    }
  }

  private void putInForce(RuleBook book) {
    metrics.inForce(book);
    declaredRules = ActiveRules.of(book, metrics, ownRules);
  }

  /** Adds declared rules; see {@link RateLimitEngine#declare}. */
  void declare(List<RateLimitRule> values) {
    stores.checkFallback(values);
    synchronized (ruleChanges) {
      for (RateLimitRule rule : values) {
        RateLimitRule known = declared.get(rule.id());
        if (known != null && !known.equals(rule)) {
          throw new IllegalArgumentException("rule '" + rule.id() + "' is declared twice");
        }
      }
      values.forEach(rule -> declared.put(rule.id(), rule));
      ActiveRules current = declaredRules;
      RuleBook book = (current == null ? RuleBook.of() : current.book()).withDeclared(values);
      if (rules == null) {
        // No rules came into force, so that is not recorded.
        declaredRules = ActiveRules.of(book, metrics, ownRules);
      } else {
        putInForce(book);
        rules = declaredRules;
      }
    }
  }
}
