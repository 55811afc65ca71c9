package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter.Verdict;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question on its way to a result: what applies, what is to be taken, and what came of it. Used
 * by one thread at a time, once; then the result's details, and unchanged from there on.
 */
final class Evaluation implements ReportedDetails {
  private static final long FAIL_CLOSED_RETRY_MICROS = 1_000_000;

  private final boolean shadowAll;
  private final boolean dryRun;
  private @Nullable Acquisition acquisition;
  private Acquisition.@Nullable Builder several;
  private @Nullable LimitOwner claim;
  private @Nullable List<LimitOwner> moreClaims;
  private @Nullable AppliedRules applied;
  private @Nullable Outcome outcome;
  private int reported = BandReport.NONE;
  private boolean waiting;
  private long turnMicros;

  /**
   * Creates an evaluation.
   *
   * @param shadowAll whether every rule is a shadow rule
   * @param dryRun whether nothing is to be taken or counted
   */
  Evaluation(boolean shadowAll, boolean dryRun) {
    this.shadowAll = shadowAll;
    this.dryRun = dryRun;
  }

  /** Returns where to note what applies; a question under plans needs none. */
  private AppliedRules applied() {
    AppliedRules all = applied == null ? new AppliedRules() : applied;
    applied = all;
    return all;
  }

  /** Collects the rules of an index that apply to a request. */
  void match(RuleIndex index, RequestContext request, ActiveRules rules) {
    RankList ranks = index.find(request);
    for (int i = 0; i < ranks.size(); i++) {
      CompiledRule rule = index.get(ranks.get(i));
      if (rule.mismatch(request) == null && apply(rule, request, rules.claim(rule))) {
        return;
      }
    }
  }

  /** Applies a rule that matches; returns whether the rules after it are not considered. */
  boolean apply(CompiledRule compiled, RequestContext request, LimitOwner by) {
    if (!compiled.limiting()) {
      return act(compiled, by);
    }
    String identity = compiled.identity(request);
    if (identity == null) {
      if (compiled.rule().onMissingIdentity() == OnMissingIdentity.SKIP) {
        return false;
      }
      refuse(compiled, by);
      if (!isShadow(compiled)) {
        applied().missIdentity(compiled);
      }
    } else {
      demand(compiled, compiled.limits(), identity, compiled.cost(request.cost()), by);
    }
    return compiled.stop();
  }

  /** Applies an ALLOW or DENY rule; returns whether the rules after it are not considered. */
  boolean act(CompiledRule compiled, LimitOwner by) {
    if (compiled.rule().action() == Action.ALLOW) {
      applied().add(compiled);
      applied().exempt(compiled);
      count(by, Verdict.ALLOWED);
      return true;
    }
    refuse(compiled, by);
    if (!isShadow(compiled)) {
      applied().block(compiled);
    }
    return compiled.stop();
  }

  private void refuse(CompiledRule compiled, LimitOwner by) {
    applied().add(compiled);
    boolean shadow = isShadow(compiled);
    count(by, shadow ? Verdict.SHADOW_DENIED : Verdict.DENIED);
    if (shadow) {
      applied().denyInShadow(compiled.rule().id());
    }
  }

  private void count(LimitOwner by, Verdict verdict) {
    if (!dryRun) {
      by.meter().count(verdict);
    }
  }

  private void demand(
      CompiledRule compiled, BucketLimits limits, String identity, long cost, LimitOwner by) {
    applied().add(compiled);
    add(new RateLimitKey(limits, identity), cost, isShadow(compiled), by);
  }

  /**
   * Adds the bucket that a question under one rule is about.
   *
   * @param rule the rule; null if only the caller knows it, who then brings its limits
   */
  void demand(LimitCheck.OfRule question, @Nullable CompiledRule rule, LimitOwner by) {
    BucketLimits limits =
        question.limits().isPresent()
            ? new BucketLimits(
                BucketLimits.OwnerKind.RULE, question.ruleId(), question.limits().get())
            : null;
    if (rule != null) {
      long cost = rule.cost(question.cost());
      String identity = rule.identityOf(question.identity());
      demand(rule, limits == null ? rule.limits() : limits, identity, cost, by);
    } else if (limits != null) {
      demand(limits, IdentityScheme.named(question.identity()), question.cost(), by);
    } else {
      throw new UnknownNameException("rule", question.ruleId());
    }
  }

  /** Adds a bucket that no rule of the book stands for. */
  void demand(BucketLimits limits, String identity, long cost, LimitOwner by) {
    add(new RateLimitKey(limits, identity), cost, shadowAll, by);
  }

  private void add(RateLimitKey key, long cost, boolean shadow, LimitOwner by) {
    if (acquisition == null) {
      acquisition = Acquisition.of(key, cost, shadow, dryRun);
      claim = by;
      return;
    }
    if (moreClaims == null) {
      moreClaims = new ArrayList<>(2);
    }
    if (several == null) {
      several = acquisition.toBuilder();
    }
    several.add(key, cost, shadow);
    moreClaims.add(by);
  }

  private LimitOwner claim(int i) {
    LimitOwner by = i == 0 || moreClaims == null ? claim : moreClaims.get(i - 1);
    if (by == null) {
      throw new IllegalStateException("nothing is demanded");
    }
    return by;
  }

  private boolean isShadow(CompiledRule compiled) {
    return shadowAll || compiled.shadow();
  }

  /** Returns the rules that applied, for listeners. */
  List<RateLimitRule> appliedRules() {
    return applied == null ? List.of() : applied.rules();
  }

  /** Returns how many buckets are demanded. */
  int size() {
    return acquisition == null ? 0 : 1 + (moreClaims == null ? 0 : moreClaims.size());
  }

  /** Returns what to take together; something has to be demanded. */
  Acquisition acquisition() {
    if (acquisition == null) {
      throw new IllegalStateException("nothing is demanded");
    }
    if (several != null) {
      acquisition = several.build();
      several = null;
    }
    return acquisition;
  }

  /** Returns the result if no store has to be asked, or null. */
  @Nullable RateLimitResult withoutStore() {
    if (applied == null) {
      return acquisition == null ? RateLimitResult.of(Reason.NO_MATCHING_RULE) : null;
    }
    RateLimitRule blocking = applied.blocking();
    if (blocking != null) {
      return refused(Reason.BLOCKED, blocking);
    }
    RateLimitRule unidentified = applied.unidentified();
    if (unidentified != null) {
      return refused(Reason.MISSING_IDENTITY, unidentified);
    }
    return acquisition != null
        ? null
        : exempted(RateLimitResult.builder(Reason.ALLOWED)).shadowDenied(shadowDenied()).build();
  }

  private RateLimitResult refused(Reason reason, RateLimitRule by) {
    return RateLimitResult.builder(reason)
        .rule(by.ruleSetId(), by.id())
        .shadowDenied(shadowDenied())
        .build();
  }

  /** Returns what decides when the store fails, or null if nothing enforced was asked of it. */
  @Nullable OnStoreFailure onStoreFailure(OnStoreFailure unlessSaid) {
    OnStoreFailure strictest = null;
    for (int i = 0; i < size(); i++) {
      if (acquisition().shadow(i)) {
        continue;
      }
      CompiledRule rule = claim(i).rule();
      OnStoreFailure own =
          rule == null ? unlessSaid : rule.rule().onStoreFailure().orElse(unlessSaid);
      strictest = strictest == null ? own : strictest.strictest(own);
    }
    return strictest;
  }

  /** Returns whether a caller waits when bucket {@code i} denies. */
  boolean waits(int i, OnLimitExceed unlessSaid) {
    CompiledRule rule = claim(i).rule();
    return (rule == null ? unlessSaid : rule.rule().onLimitExceed().orElse(unlessSaid))
        == OnLimitExceed.WAIT_FOR_REFILL;
  }

  /** Returns whether a caller waits when it is denied like this: if every denial is one to wait. */
  boolean waits(Acquisition asked, Outcome answer, OnLimitExceed unlessSaid) {
    for (int i = 0; i < asked.size(); i++) {
      boolean denies = !asked.shadow(i) && answer.seen(i) && !answer.passed(i);
      if (denies && !waits(i, unlessSaid)) {
        return false;
      }
    }
    return BandReport.costExceedsCapacity(asked) == BandReport.NONE;
  }

  /**
   * Returns the denial of a caller that waited, or might have.
   *
   * @param turn how long it would wait from now, the callers ahead included, in microseconds
   */
  RateLimitResult deniedWaiting(Reason reason, Acquisition asked, Outcome answer, long turn) {
    finish(asked, answer);
    turnMicros = turn;
    return new RateLimitResult(reason, this);
  }

  /** Returns the denial of a caller whose first attempt got no outcome in time. */
  RateLimitResult unanswered() {
    for (int i = 0; i < size(); i++) {
      count(claim(i), Verdict.ERROR);
    }
    return unasked(
        named(RateLimitResult.builder(Reason.WAIT_TIMEOUT))
            .retryAfterMicros(FAIL_CLOSED_RETRY_MICROS));
  }

  /** Returns the result when neither the store nor a fallback could decide. */
  RateLimitResult failed(@Nullable OnStoreFailure strategy) {
    for (int i = 0; i < size(); i++) {
      count(claim(i), Verdict.ERROR);
    }
    if (strategy == null) {
      return unasked(exempted(RateLimitResult.builder(Reason.ALLOWED)));
    }
    if (strategy == OnStoreFailure.OPEN) {
      return unasked(RateLimitResult.builder(Reason.FAIL_OPEN));
    }
    return unasked(
        named(RateLimitResult.builder(Reason.FAIL_CLOSED))
            .retryAfterMicros(FAIL_CLOSED_RETRY_MICROS));
  }

  private RateLimitResult unasked(RateLimitResult.Builder result) {
    return result.degraded(true).shadowDenied(shadowDenied()).build();
  }

  /** Names the ALLOW rule, if there was one; it decides where no limit is enforced. */
  private RateLimitResult.Builder exempted(RateLimitResult.Builder result) {
    RateLimitRule exempting = exempting();
    return exempting == null ? result : result.rule(exempting.ruleSetId(), exempting.id());
  }

  /** Names whoever demands the first enforced bucket. */
  private RateLimitResult.Builder named(RateLimitResult.Builder result) {
    for (int i = 0; i < size(); i++) {
      if (!acquisition().shadow(i)) {
        BucketLimits limits = acquisition().key(i).limits();
        return isPlan(limits)
            ? result.plan(limits.ownerId())
            : result.rule(ruleSetId(i), limits.ownerId());
      }
    }
    return result;
  }

  private static boolean isPlan(BucketLimits limits) {
    return limits.ownerKind() == BucketLimits.OwnerKind.PLAN;
  }

  private String ruleSetId(int i) {
    CompiledRule rule = claim(i).rule();
    return rule == null ? RateLimitRule.DEFAULT_RULE_SET : rule.rule().ruleSetId();
  }

  /** Returns the result of a store's outcome. */
  RateLimitResult finish(Outcome answer) {
    return finish(acquisition(), answer);
  }

  /** Returns the result of a store's outcome, for all or this node's share of the limits. */
  RateLimitResult finish(Acquisition asked, Outcome answer) {
    Acquisition whole = acquisition();
    acquisition = asked;
    settle(asked, answer);
    outcome = answer;
    if (answer.allowed()) {
      reported = BandReport.smallestShare(asked, answer);
      return new RateLimitResult(answer.degraded() ? Reason.LOCAL_FALLBACK : Reason.ALLOWED, this);
    }
    reported = BandReport.costExceedsCapacity(whole);
    if (reported != BandReport.NONE) {
      return new RateLimitResult(Reason.COST_EXCEEDS_CAPACITY, this);
    }
    reported = BandReport.longestWait(asked, answer);
    waiting = true;
    return new RateLimitResult(Reason.LIMIT_EXCEEDED, this);
  }

  /** Counts every verdict, and turns the views into those after this decision. */
  private void settle(Acquisition asked, Outcome answer) {
    int v = 0;
    for (int i = 0; i < asked.size(); i++) {
      BucketLimits limits = asked.key(i).limits();
      boolean passed = answer.passed(i);
      if (answer.seen(i)) {
        settle(claim(i), limits, passed, asked.shadow(i));
      }
      boolean taken = answer.allowed() && passed;
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        if (taken) {
          limits.band(b).advance(answer.views(), v, asked.cost(i));
        }
      }
    }
  }

  private void settle(LimitOwner by, BucketLimits limits, boolean passed, boolean shadow) {
    if (passed) {
      count(by, Verdict.ALLOWED);
    } else if (shadow) {
      count(by, Verdict.SHADOW_DENIED);
      applied().denyInShadow(limits.ownerId());
    } else {
      count(by, Verdict.DENIED);
    }
  }

  @Override
  public @Nullable BandReport report() {
    return reported == BandReport.NONE || acquisition == null || outcome == null
        ? null
        : BandReport.at(reported, acquisition, outcome);
  }

  private @Nullable RateLimitRule exempting() {
    return applied == null ? null : applied.exempting();
  }

  @Override
  public @Nullable String ruleSetId() {
    BandReport report = report();
    if (report != null) {
      return isPlan(report.limits()) ? null : ruleSetId(report.key());
    }
    RateLimitRule exempting = exempting();
    return exempting == null ? null : exempting.ruleSetId();
  }

  @Override
  public @Nullable String ruleId() {
    BandReport report = report();
    if (report != null) {
      return isPlan(report.limits()) ? null : report.limits().ownerId();
    }
    RateLimitRule exempting = exempting();
    return exempting == null ? null : exempting.id();
  }

  @Override
  public @Nullable String plan() {
    BandReport report = report();
    return report != null && isPlan(report.limits()) ? report.limits().ownerId() : null;
  }

  @Override
  public @Nullable String identity() {
    BandReport report = report();
    return report == null ? null : acquisition().key(report.key()).identity();
  }

  @Override
  public long retryAfterMicros() {
    BandReport report = waiting ? report() : null;
    return report == null ? RateLimitResult.ABSENT : Math.max(turnMicros, report.waitMicros());
  }

  @Override
  public List<String> shadowDenied() {
    return applied == null ? List.of() : applied.shadowDenied();
  }

  @Override
  public boolean degraded() {
    return outcome != null && outcome.degraded();
  }

  @Override
  public List<BandStatus> bands() {
    return acquisition == null || outcome == null
        ? List.of()
        : BandReport.enforced(acquisition, outcome);
  }
}
