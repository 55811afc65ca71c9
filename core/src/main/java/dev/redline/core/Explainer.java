package dev.redline.core;

import dev.redline.core.Explanation.Entry;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.MatchCondition.NoMatch;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Explains a check to people: every rule, whether it applies, and the state of its bands. */
final class Explainer {
  private final LimitCheck check;
  private final ActiveRules rules;
  private final @Nullable RuleIndex index;
  private final Evaluation evaluation;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Integer, Integer> bucketOf = new HashMap<>();

  private Explainer(
      LimitCheck check, ActiveRules rules, @Nullable RuleIndex index, EngineSettings settings) {
    this.check = check;
    this.rules = rules;
    this.index = index;
    this.evaluation = new Evaluation(settings.shadow(), false, true);
  }

  /** Returns the explainer of a check by the rules in force. */
  static Explainer of(
      LimitCheck check, ActiveRules current, RuleLookup lookup, EngineSettings settings) {
    if (!(check instanceof LimitCheck.OfRequest ofRequest)) {
      return new Explainer(check, current, null, settings);
    }
    ActiveRules source = lookup.source(ofRequest, current);
    return source == null
        ? new Explainer(check, current, null, settings)
        : new Explainer(check, source, lookup.index(ofRequest, source), settings);
  }

  CompletionStage<Explanation> explain(
      Function<Acquisition, CompletionStage<Outcome>> peek,
      BiFunction<LimitCheck, Boolean, CompletionStage<RateLimitResult>> decide) {
    collect();
    CompletionStage<List<Entry>> peeked =
        evaluation.size() == 0
            ? CompletableFuture.completedFuture(entries)
            : peek.apply(evaluation.acquisition())
                // If the store fails, the explanation leaves the bands out.
                .handle((outcome, failure) -> failure == null ? withBands(outcome) : entries);
    return peeked.thenCombine(
        decide.apply(check, true), (all, decision) -> new Explanation(decision, all));
  }

  private void collect() {
    if (check instanceof LimitCheck.OfRequest ofRequest) {
      if (index != null) {
        collect(index, ofRequest.request(), ofRequest.except());
      }
    } else if (check instanceof LimitCheck.OfPlans ofPlans) {
      String identity = IdentityScheme.ofPlanKey(ofPlans.key());
      for (String plan : ofPlans.plans().stream().distinct().toList()) {
        collect(plan, identity, ofPlans.cost());
      }
    } else if (check instanceof LimitCheck.OfLimits ofLimits) {
      ofLimits.limits().forEach(limit -> collect(limit, ofLimits.request()));
    } else {
      collect((LimitCheck.OfRule) check);
    }
  }

  private void collect(String plan, String identity, long cost) {
    addWithBucket(
        new Entry(
            Optional.empty(),
            plan,
            true,
            Optional.empty(),
            Optional.empty(),
            shown(identity),
            List.of(),
            0));
    evaluation.add(rules.plan(plan).limits(), identity, cost, RuleMeter.NONE);
    keepLastBucket();
  }

  private static List<String> shown(String identity) {
    return identity.equals(CallLimit.NO_KEY) ? List.of() : List.of(identity);
  }

  private void collect(CallLimit limit, RequestContext request) {
    evaluation.addFor(limit);
    if (limit instanceof CallLimit.OfPlan ofPlan) {
      collect(ofPlan.plan(), ofPlan.identity(), ofPlan.cost());
    } else if (limit instanceof CallLimit.OfRule ofRule) {
      collect(ofRule);
    } else if (limit instanceof CallLimit.OfRuleSet ofRuleSet) {
      ActiveRules source = rules.with(ofRuleSet.ruleSetId());
      RuleIndex set = source == null ? null : source.compiled().index(ofRuleSet.ruleSetId());
      if (set != null) {
        collect(set, request, Set.of());
      }
    }
  }

  private void collect(CallLimit.OfRule ofRule) {
    CompiledRule rule = CallLimitLookup.rule(ofRule, rules);
    if (!rule.rule().enabled()) {
      entries.add(entry(rule, NoMatch.DISABLED, List.of()));
    } else if (rule.rule().action() != Action.LIMIT) {
      entries.add(entry(rule, null, List.of()));
    } else {
      addWithBucket(entry(rule, null, shown(ofRule.identity())));
      evaluation.add(ofRule, rule, RuleMeter.NONE);
      keepLastBucket();
    }
  }

  private void collect(LimitCheck.OfRule ofRule) {
    CompiledRule rule = rules.compiled().rule(ofRule.ruleId());
    if (rule != null && !rule.rule().enabled()) {
      entries.add(entry(rule, NoMatch.DISABLED, List.of()));
    } else if (rule != null && rule.rule().action() != Action.LIMIT) {
      entries.add(entry(rule, null, List.of()));
    } else {
      addWithBucket(
          rule == null ? unknown(ofRule) : entry(rule, null, rule.shownOf(ofRule.identity())));
      evaluation.add(ofRule, rule, RuleMeter.NONE);
    }
  }

  private static Entry unknown(LimitCheck.OfRule ofRule) {
    return new Entry(
        Optional.of(RateLimitRule.DEFAULT_RULE_SET),
        ofRule.ruleId(),
        false,
        Optional.empty(),
        Optional.empty(),
        ofRule.identity(),
        List.of(),
        0);
  }

  private void collect(RuleIndex all, RequestContext request, Set<String> except) {
    RankList found = new RankList();
    all.find(request, found);
    BitSet pathMatches = new BitSet();
    for (int i = 0; i < found.size(); i++) {
      pathMatches.set(found.get(i));
    }
    boolean stopped = false;
    for (int i = 0; i < all.size(); i++) {
      CompiledRule rule = all.get(i);
      if (except.contains(rule.rule().ruleSetId())) {
        continue;
      }
      NoMatch why = whyNot(rule, request, pathMatches.get(i), stopped);
      if (why != null) {
        entries.add(entry(rule, why, field(rule, request, why), List.of()));
        continue;
      }
      stopped |= apply(rule, request);
    }
  }

  private @Nullable NoMatch whyNot(
      CompiledRule rule, RequestContext request, boolean pathMatches, boolean stopped) {
    if (!rule.rule().enabled()) {
      return NoMatch.DISABLED;
    }
    if (!pathMatches) {
      return NoMatch.PATH;
    }
    NoMatch why = rule.mismatch(request);
    if (why == null && stopped) {
      return NoMatch.STOPPED;
    }
    if (why == null
        && rule.rule().action() == Action.LIMIT
        && rule.rule().onMissingIdentity() == OnMissingIdentity.SKIP
        && rule.identity(request, evaluation) == null) {
      return NoMatch.MISSING_IDENTITY;
    }
    return why;
  }

  /** Adds a rule that applies; returns whether the rules after it are not considered. */
  private boolean apply(CompiledRule compiled, RequestContext request) {
    RateLimitRule rule = compiled.rule();
    if (rule.action() != Action.LIMIT) {
      entries.add(entry(compiled, null, List.of()));
      return rule.action() == Action.ALLOW || rule.stop();
    }
    Entry entry = entry(compiled, null, compiled.shown(request));
    if (compiled.identity(request, evaluation) == null) {
      entries.add(entry);
      return rule.stop();
    }
    addWithBucket(entry);
    boolean stops = evaluation.apply(compiled, request, RuleMeter.NONE);
    keepLastBucket();
    return stops;
  }

  /** Adds the entry whose bucket the evaluation gets next. */
  private void addWithBucket(Entry entry) {
    bucketOf.put(entries.size(), evaluation.size());
    entries.add(entry);
  }

  /** Forgets the bucket of the last entry if it is that of an earlier limit, which shows it. */
  private void keepLastBucket() {
    int last = entries.size() - 1;
    if (Integer.valueOf(evaluation.size()).equals(bucketOf.get(last))) {
      bucketOf.remove(last);
    }
  }

  private static Entry entry(CompiledRule rule, @Nullable NoMatch why, List<String> identity) {
    return entry(rule, why, null, identity);
  }

  private static Entry entry(
      CompiledRule rule, @Nullable NoMatch why, @Nullable String field, List<String> identity) {
    return new Entry(
        Optional.of(rule.rule().ruleSetId()),
        rule.rule().id(),
        false,
        Optional.ofNullable(why),
        Optional.ofNullable(field),
        identity,
        List.of(),
        0);
  }

  /** Returns what of the request fails the rule's condition, if that is named to users. */
  private static @Nullable String field(CompiledRule rule, RequestContext request, NoMatch why) {
    if (why != NoMatch.HEADER && why != NoMatch.ATTRIBUTE && why != NoMatch.CONDITION) {
      return null;
    }
    MatchCondition failing = rule.rule().match().failing(request);
    return failing == null ? null : failing.failingField(request);
  }

  private List<Entry> withBands(Outcome outcome) {
    List<Entry> all = new ArrayList<>(entries);
    bucketOf.forEach(
        (at, bucket) -> {
          Entry bare = all.get(at);
          all.set(
              at,
              new Entry(
                  bare.ruleSetId(),
                  bare.id(),
                  bare.plan(),
                  bare.why(),
                  bare.field(),
                  bare.identity(),
                  ReportedBand.ofKey(bucket, evaluation.acquisition(), outcome),
                  outcome.leased(bucket)));
        });
    return all;
  }
}
