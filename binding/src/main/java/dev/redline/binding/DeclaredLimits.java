package dev.redline.binding;

import dev.redline.binding.InvalidBindingException.Problem;
import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the limits of all planned methods need of an engine: the rules that they declare to it, and
 * the plans and rule sets that they name. Thread-safe.
 */
final class DeclaredLimits {
  /** The property of a Redline server by which it takes limits from its callers. */
  private static final String INLINE_LIMITS = "rl.server.inline-limits";

  private final @Nullable RateLimitEngine engine;
  private final boolean decidedByServer;
  private final Map<String, Declared> declared = new LinkedHashMap<>();
  private final List<RateLimitRule> undeclared = new ArrayList<>();
  private final Map<String, Set<String>> planNames = new LinkedHashMap<>();
  private final Map<String, Set<String>> ruleSets = new LinkedHashMap<>();
  private final List<NamedCost> planCosts = new ArrayList<>();

  /** The rule of an id, and what it was written on. */
  private record Declared(RateLimitRule rule, Object source, String location) {}

  /** The place of one annotation: the element, and which of its annotations. */
  record Place(Object element, int index) {}

  /** What a call costs under a plan. */
  private record NamedCost(String plan, long tokens, String location) {}

  DeclaredLimits(@Nullable RateLimitEngine engine, boolean decidedByServer) {
    this.engine = engine;
    this.decidedByServer = decidedByServer;
  }

  /** Adds a limit; reports an id that another limit has. */
  void add(PlannedLimit limit, Place place, String location, Consumer<String> problem) {
    synchronized (declared) {
      limit.names(
          (plan, tokens) -> {
            planNames.computeIfAbsent(plan, absent -> new LinkedHashSet<>()).add(location);
            planCosts.add(new NamedCost(plan, tokens, location));
          },
          set -> ruleSets.computeIfAbsent(set, absent -> new LinkedHashSet<>()).add(location));
      RateLimitRule rule = limit.ruleOrNull();
      if (rule == null) {
        return;
      }
      Declared other = declared.putIfAbsent(rule.id(), new Declared(rule, place, location));
      if (other == null) {
        undeclared.add(rule);
      } else if (!other.source.equals(place) || !other.rule.equals(rule)) {
        problem.accept(
            "the id '"
                + rule.id()
                + "' belongs to a limit of "
                + other.location
                + " already: set another id");
      }
    }
  }

  /** Returns the rules that the annotations declare, by their ids. */
  List<RateLimitRule> rules() {
    synchronized (declared) {
      return declared.values().stream().map(Declared::rule).toList();
    }
  }

  /** Declares the rules that the engine does not know yet. */
  void declare() {
    if (engine == null) {
      return;
    }
    synchronized (declared) {
      if (!undeclared.isEmpty()) {
        engine.declare(List.copyOf(undeclared));
        undeclared.clear();
      }
    }
  }

  /** Declares all rules, and reports names that the rules in force do not have. */
  void check(Consumer<Problem> problems) {
    try {
      declare();
    } catch (IllegalArgumentException e) {
      problems.accept(new Problem("rules of annotations", String.valueOf(e.getMessage())));
    }
    addUnknownNames(problems);
    if (decidedByServer) {
      addReplacedRules(problems);
      addRejectedLimits(problems);
    }
  }

  private void addUnknownNames(Consumer<Problem> problems) {
    RuleBook book = engine == null ? null : engine.book();
    if (engine == null || book == null) {
      // A remote handler, or an engine that loads its rules later, may have other names.
      return;
    }
    synchronized (declared) {
      planNames.forEach(
          (name, locations) -> {
            if (!engine.hasPlan(name)) {
              locations.forEach(
                  at ->
                      problems.accept(
                          new Problem(at, "unknown plan '" + name + "'" + known(book))));
            }
          });
      ruleSets.forEach(
          (name, locations) -> {
            if (!engine.hasRuleSet(name)) {
              locations.forEach(
                  at ->
                      problems.accept(
                          new Problem(
                              at,
                              "unknown rule set '"
                                  + name
                                  + "'; there are "
                                  + book.ruleSets().keySet())));
            }
          });
      for (NamedCost cost : planCosts) {
        book.plan(cost.plan)
            .filter(plan -> isTooSmall(plan, cost.tokens))
            .ifPresent(
                plan ->
                    problems.accept(
                        new Problem(
                            cost.location,
                            "a call costs "
                                + cost.tokens
                                + " tokens, more than plan '"
                                + cost.plan
                                + "' has room for: no call would ever be allowed")));
      }
    }
  }

  /** Reports limits whose id a rule of the server has: the key of that rule would count. */
  private void addReplacedRules(Consumer<Problem> problems) {
    RuleBook book = engine == null ? null : engine.book();
    if (book == null) {
      return;
    }
    synchronized (declared) {
      for (Declared each : declared.values()) {
        RateLimitRule inForce = book.rule(each.rule.id()).orElse(each.rule);
        if (!inForce.equals(each.rule)) {
          problems.accept(
              new Problem(
                  each.location,
                  "the Redline server that decides has a rule '"
                      + each.rule.id()
                      + "' of its own: set another id"));
        }
      }
    }
  }

  /** Reports limits that the server rejects, if it responds: it may take none from its callers. */
  private void addRejectedLimits(Consumer<Problem> problems) {
    if (engine == null) {
      return;
    }
    List<Declared> all;
    synchronized (declared) {
      all = List.copyOf(declared.values());
    }
    List<LimitCheck> checks =
        all.stream()
            .map(each -> new CallLimit.OfRule(each.rule, CallLimit.NO_KEY, 1))
            .map(limit -> LimitCheck.ofLimits(List.of(limit), RequestContext.EMPTY))
            .toList();
    List<Optional<String>> rejections = engine.rejections(checks);
    for (int i = 0; i < all.size(); i++) {
      Declared each = all.get(i);
      rejections
          .get(i)
          .ifPresent(why -> problems.accept(new Problem(each.location, why + remedy(why))));
    }
  }

  private static String remedy(String rejection) {
    return rejection.contains(INLINE_LIMITS)
        ? ": set "
            + INLINE_LIMITS
            + "=true on the server, or define a plan there and name it with plan instead of value"
        : "";
  }

  private static String known(RuleBook book) {
    return book.plans().isEmpty()
        ? "; no plans are defined"
        : "; there are " + book.plans().keySet().stream().sorted().toList();
  }

  private static boolean isTooSmall(RateLimitPlan plan, long tokens) {
    return plan.bands().stream().anyMatch(band -> tokens > band.capacity());
  }
}
