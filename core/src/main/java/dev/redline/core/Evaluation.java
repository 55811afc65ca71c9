package dev.redline.core;

import dev.redline.core.key.IdentityScheme;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.path.Ranks;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.CompiledRule;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleIndex;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.spi.MetricsExporter.Verdict;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question on its way to a result: what applies, what is to be taken, and what came of it. Used
 * by one thread at a time, once.
 */
final class Evaluation implements RateLimitResult.BandSource {
  private static final long FAIL_CLOSED_RETRY_MICROS = 1_000_000;

  private final boolean shadowAll;
  private final List<Demand> demands = new ArrayList<>(1);
  private List<CompiledRule> applied = List.of();
  private @Nullable Outcome outcome;
  private @Nullable List<String> shadowDenied;
  private @Nullable CompiledRule exempting;
  private @Nullable CompiledRule blocking;
  private @Nullable CompiledRule unidentified;

  Evaluation(boolean shadowAll) {
    this.shadowAll = shadowAll;
  }

  /** Collects the rules of an index that apply to a request. */
  void match(RuleIndex index, RequestContext request, RuleMeter[] meters) {
    Ranks ranks = index.find(request);
    for (int i = 0; i < ranks.size(); i++) {
      CompiledRule rule = index.get(ranks.get(i));
      if (rule.mismatch(request) == null && apply(rule, request, meters[rule.rank()])) {
        return;
      }
    }
  }

  /** Applies a rule that matches; returns whether the rules after it are not considered. */
  boolean apply(CompiledRule compiled, RequestContext request, RuleMeter meter) {
    RateLimitRule rule = compiled.rule();
    if (rule.action() != Action.LIMIT) {
      return act(compiled, meter);
    }
    String identity = compiled.identity(request);
    if (identity == null) {
      if (rule.onMissingIdentity() == OnMissingIdentity.SKIP) {
        return false;
      }
      refuse(compiled, meter);
      unidentified = unidentified == null && !isShadow(rule) ? compiled : unidentified;
    } else {
      demand(compiled, compiled.limits(), identity, cost(rule, request.cost()), meter);
    }
    return rule.stop();
  }

  /** Applies an ALLOW or DENY rule; returns whether the rules after it are not considered. */
  boolean act(CompiledRule compiled, RuleMeter meter) {
    RateLimitRule rule = compiled.rule();
    if (rule.action() == Action.ALLOW) {
      applies(compiled);
      exempting = compiled;
      meter.count(Verdict.ALLOWED);
      return true;
    }
    refuse(compiled, meter);
    blocking = blocking == null && !isShadow(rule) ? compiled : blocking;
    return rule.stop();
  }

  private void refuse(CompiledRule compiled, RuleMeter meter) {
    applies(compiled);
    boolean shadow = isShadow(compiled.rule());
    meter.count(shadow ? Verdict.SHADOW_DENIED : Verdict.DENIED);
    if (shadow) {
      shadowDenied(compiled.rule().id());
    }
  }

  private void applies(CompiledRule compiled) {
    if (applied.isEmpty()) {
      applied = new ArrayList<>(2);
    }
    applied.add(compiled);
  }

  private void shadowDenied(String ruleId) {
    List<String> ids = shadowDenied == null ? new ArrayList<>(2) : shadowDenied;
    ids.add(ruleId);
    shadowDenied = ids;
  }

  private void demand(
      CompiledRule compiled, BucketLimits limits, String identity, long cost, RuleMeter meter) {
    applies(compiled);
    RateLimitKey key = new RateLimitKey(limits, identity);
    demands.add(new Demand(compiled, key, cost, isShadow(compiled.rule()), meter));
  }

  /**
   * Adds the bucket that a question under one rule is about.
   *
   * @param rule the rule; null if only the caller knows it, who then brings its limits
   */
  void demand(Question.OfRule question, @Nullable CompiledRule rule, RuleMeter meter) {
    BucketLimits limits =
        question.limits().isPresent()
            ? new BucketLimits(
                BucketLimits.OwnerKind.RULE, question.ruleId(), question.limits().get())
            : null;
    if (rule != null) {
      long cost = cost(rule.rule(), question.cost());
      String identity = rule.identityOf(question.identity());
      demand(rule, limits == null ? rule.limits() : limits, identity, cost, meter);
    } else if (limits != null) {
      demand(limits, IdentityScheme.named(question.identity()), question.cost(), meter);
    } else {
      throw new UnknownNameException("rule", question.ruleId());
    }
  }

  /** Adds a bucket that no rule of the book stands for. */
  void demand(BucketLimits limits, String identity, long cost, RuleMeter meter) {
    demands.add(new Demand(null, new RateLimitKey(limits, identity), cost, shadowAll, meter));
  }

  private boolean isShadow(RateLimitRule rule) {
    return shadowAll || rule.mode() == Mode.SHADOW;
  }

  /** Returns rule cost times request cost; what exceeds every capacity is as good as any excess. */
  static long cost(RateLimitRule rule, long requestCost) {
    long product = rule.cost() * requestCost;
    boolean fits = Math.multiplyHigh(rule.cost(), requestCost) == 0 && product > 0;
    return fits ? Math.min(product, RateLimitBand.MAX_TOKENS + 1) : RateLimitBand.MAX_TOKENS + 1;
  }

  /** Returns the rules that applied, for listeners. */
  List<RateLimitRule> appliedRules() {
    return applied.stream().map(CompiledRule::rule).toList();
  }

  List<Demand> demands() {
    return demands;
  }

  /** Returns the result if no store has to be asked, or null. */
  @Nullable RateLimitResult withoutStore() {
    if (blocking != null) {
      return ruleResult(Reason.BLOCKED, blocking);
    }
    if (unidentified != null) {
      return ruleResult(Reason.MISSING_IDENTITY, unidentified);
    }
    if (!demands.isEmpty()) {
      return null;
    }
    if (exempting != null) {
      return ruleResult(Reason.ALLOWED, exempting);
    }
    return withShadow(
            RateLimitResult.builder(applied.isEmpty() ? Reason.NO_MATCHING_RULE : Reason.ALLOWED))
        .build();
  }

  private RateLimitResult ruleResult(Reason reason, CompiledRule rule) {
    return withShadow(
            RateLimitResult.builder(reason).rule(rule.rule().ruleSetId(), rule.rule().id()))
        .build();
  }

  private RateLimitResult.Builder withShadow(RateLimitResult.Builder builder) {
    return shadowDenied == null ? builder : builder.shadowDenied(shadowDenied);
  }

  /** Returns what to take together. */
  Acquisition acquisition(boolean dryRun) {
    if (demands.size() == 1 && !dryRun && !demands.get(0).shadow()) {
      return Acquisition.of(demands.get(0).key(), demands.get(0).cost());
    }
    Acquisition.Builder builder = Acquisition.builder().dryRun(dryRun);
    for (Demand demand : demands) {
      builder.add(demand.key(), demand.cost(), demand.shadow());
    }
    return builder.build();
  }

  /** Returns what decides when the store fails, or null if nothing enforced was asked of it. */
  @Nullable OnStoreFailure onStoreFailure(OnStoreFailure unlessSaid) {
    OnStoreFailure strictest = null;
    for (Demand demand : demands) {
      if (demand.shadow()) {
        continue;
      }
      OnStoreFailure own =
          demand.rule() == null
              ? unlessSaid
              : demand.rule().rule().onStoreFailure().orElse(unlessSaid);
      strictest = strictest == null ? own : strictest.strictest(own);
    }
    return strictest;
  }

  /** Returns the result when neither the store nor a fallback could decide. */
  RateLimitResult failed(@Nullable OnStoreFailure strategy) {
    demands.forEach(demand -> demand.meter().count(Verdict.ERROR));
    if (strategy == null) {
      return withShadow(exempted(RateLimitResult.builder(Reason.ALLOWED)).degraded(true)).build();
    }
    if (strategy == OnStoreFailure.OPEN) {
      return withShadow(RateLimitResult.builder(Reason.FAIL_OPEN).degraded(true)).build();
    }
    RateLimitResult.Builder refused =
        RateLimitResult.builder(Reason.FAIL_CLOSED)
            .degraded(true)
            .retryAfterMicros(FAIL_CLOSED_RETRY_MICROS);
    for (Demand demand : demands) {
      if (!demand.shadow()) {
        name(refused, demand);
        break;
      }
    }
    return withShadow(refused).build();
  }

  /** Returns the result of what a store answered. */
  RateLimitResult finish(Outcome answer) {
    outcome = answer;
    settle(answer);
    Reason reason = reason(answer);
    RateLimitResult.Builder result =
        RateLimitResult.builder(reason).degraded(answer.degraded()).bands(this);
    int band = reported(reason, answer);
    if (band >= 0) {
      BandReport.at(band, demands, answer).fill(result, reason == Reason.LIMIT_EXCEEDED);
    } else {
      exempted(result);
    }
    return withShadow(result).build();
  }

  /** Counts every verdict, and turns the views into those after this decision. */
  private void settle(Outcome answer) {
    int v = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      boolean passed = answer.passed(i);
      count(demand, passed);
      if (!passed && demand.shadow()) {
        shadowDenied(demand.key().limits().ownerId());
      }
      boolean taken = answer.allowed() && passed;
      BucketLimits limits = demand.key().limits();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        if (taken) {
          limits.band(b).advance(answer.views(), v, demand.cost());
        }
      }
    }
  }

  private static void count(Demand demand, boolean passed) {
    if (passed) {
      demand.meter().count(Verdict.ALLOWED);
    } else {
      demand.meter().count(demand.shadow() ? Verdict.SHADOW_DENIED : Verdict.DENIED);
    }
  }

  /** Names the ALLOW rule, if there was one; it decides where no limit is enforced. */
  private RateLimitResult.Builder exempted(RateLimitResult.Builder result) {
    return exempting == null
        ? result
        : result.rule(exempting.rule().ruleSetId(), exempting.rule().id());
  }

  private Reason reason(Outcome answer) {
    if (answer.allowed()) {
      return answer.degraded() ? Reason.LOCAL_FALLBACK : Reason.ALLOWED;
    }
    return BandReport.costExceedsCapacity(demands) >= 0
        ? Reason.COST_EXCEEDS_CAPACITY
        : Reason.LIMIT_EXCEEDED;
  }

  /** Returns the number of the band whose numbers the result tells, or -1 if it tells none. */
  private int reported(Reason reason, Outcome answer) {
    return switch (reason) {
      case COST_EXCEEDS_CAPACITY -> BandReport.costExceedsCapacity(demands);
      case LIMIT_EXCEEDED -> BandReport.longestWait(demands, answer);
      default -> BandReport.smallestShare(demands, answer);
    };
  }

  @Override
  public List<BandStatus> bands() {
    return outcome == null ? List.of() : BandReport.enforced(demands, outcome);
  }

  static RateLimitResult.Builder name(RateLimitResult.Builder result, Demand demand) {
    CompiledRule rule = demand.rule();
    if (rule != null) {
      return result.rule(rule.rule().ruleSetId(), rule.rule().id());
    }
    BucketLimits limits = demand.key().limits();
    return limits.ownerKind() == BucketLimits.OwnerKind.PLAN
        ? result.plan(limits.ownerId())
        : result.rule(RateLimitRule.DEFAULT_RULE_SET, limits.ownerId());
  }
}
