package dev.redline.telemetry.micrometer;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.spi.MetricsExporter.RuleResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The meters {@code ratelimit.requests} of a bounded number of rules.
 *
 * <p>Called when a rule book is published, never on the request path. Locks, because two books may
 * be published at the same time.
 */
final class RuleMeters {
  private static final String NONE = "none";
  private static final String OTHER = "other";

  /** The tags of a rule; {@code none} if there is no rule, or no rule set. */
  private record Name(String ruleSetId, String ruleId) {
    boolean isRuleOrPlan() {
      return !ruleId.equals(NONE);
    }
  }

  private final MeterRegistry registry;
  private final int maxRules;
  private final Map<Name, Counters> named = new HashMap<>();
  private final Map<Name, Counters> shared = new HashMap<>();
  private final Set<String> sets = new HashSet<>(Set.of(NONE));
  private int rules;

  RuleMeters(MeterRegistry registry, int maxRules) {
    this.registry = registry;
    this.maxRules = maxRules;
  }

  /** Returns the meter of a rule; rules beyond the maximum share one. */
  synchronized RuleMeter meter(String ruleSetId, String ruleId) {
    Name name = new Name(ruleSetId, ruleId);
    Counters known = named.get(name);
    if (known != null) {
      return known;
    }
    boolean setKnown = sets.contains(ruleSetId);
    if (name.isRuleOrPlan() ? rules < maxRules : setKnown || sets.size() <= maxRules) {
      rules += name.isRuleOrPlan() ? 1 : 0;
      sets.add(ruleSetId);
      return named.computeIfAbsent(name, this::register);
    }
    Name other = new Name(setKnown ? ruleSetId : OTHER, name.isRuleOrPlan() ? OTHER : NONE);
    Counters counters = register(other);
    shared.put(other, counters);
    return counters;
  }

  /** Removes the meters of rules that a book does not contain, so that others can be added. */
  synchronized void retain(RuleBook book) {
    Set<Name> inForce = new HashSet<>();
    for (RateLimitRule rule : book.rules()) {
      inForce.add(new Name(rule.ruleSetId(), rule.id()));
    }
    book.plans().keySet().forEach(id -> inForce.add(new Name(NONE, id)));
    book.ruleSets().keySet().forEach(id -> inForce.add(new Name(id, NONE)));
    inForce.add(new Name(NONE, NONE));
    Set<Name> gone = new HashSet<>(named.keySet());
    gone.removeAll(inForce);
    gone.forEach(name -> named.remove(name).remove(registry));
    rules = (int) named.keySet().stream().filter(Name::isRuleOrPlan).count();
    sets.retainAll(book.ruleSets().keySet());
    sets.add(NONE);
    Set<Name> ofRemovedSets = new HashSet<>(shared.keySet());
    ofRemovedSets.removeIf(
        name -> name.ruleSetId().equals(OTHER) || sets.contains(name.ruleSetId()));
    ofRemovedSets.forEach(name -> shared.remove(name).remove(registry));
  }

  private Counters register(Name name) {
    return new Counters(
        counter(name, RuleResult.ALLOWED),
        counter(name, RuleResult.DENIED),
        counter(name, RuleResult.SHADOW_DENIED),
        counter(name, RuleResult.ERROR));
  }

  private Counter counter(Name name, RuleResult result) {
    return Counter.builder("ratelimit.requests")
        .description("Results of each rule that matched a request")
        .tag("ruleset", name.ruleSetId())
        .tag("rule", name.ruleId())
        .tag("result", result.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private record Counters(Counter allowed, Counter denied, Counter shadowDenied, Counter error)
      implements RuleMeter {
    @Override
    public void count(RuleResult result) {
      switch (result) {
        case ALLOWED -> allowed.increment();
        case DENIED -> denied.increment();
        case SHADOW_DENIED -> shadowDenied.increment();
        case ERROR -> error.increment();
      }
    }

    void remove(MeterRegistry registry) {
      registry.remove(allowed);
      registry.remove(denied);
      registry.remove(shadowDenied);
      registry.remove(error);
    }
  }
}
