package dev.redline.core;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.key.LongIdentities;
import dev.redline.core.internal.key.RecentDigests;
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
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.spi.MetricsExporter.RuleResult;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects what applies to one check: the buckets to acquire from, and the rules that allow or deny
 * without a bucket. {@link DecisionFinisher} makes the result of it. Used by one thread at a time,
 * for one decision; a check with one bucket needs no list.
 */
final class Evaluation implements LongIdentities {
  private final boolean shadowAll;
  private final boolean reportBands;
  private final boolean dryRun;
  private @Nullable Acquisition acquisition;
  private @Nullable CompiledRule rule;
  private RuleMeter meter = RuleMeter.NONE;
  private @Nullable MoreBuckets more;
  private @Nullable OtherRules others;

  /** What the limits of a call say; null if the check has no such limits. */
  private @Nullable CallPolicies call;

  /** The buckets after the first, and the rules and meters of each. */
  private static final class MoreBuckets {
    private Acquisition.Builder builder;
    private final List<@Nullable CompiledRule> rules = new ArrayList<>(2);
    private final List<RuleMeter> meters = new ArrayList<>(2);
    private boolean changed;

    /** Only while rules are matched: it would keep long identities while a store decides. */
    private @Nullable RecentDigests digests;

    MoreBuckets(Acquisition first) {
      this.builder = first.toBuilder();
    }
  }

  /** The rules that applied without a bucket; of each kind the first one decides. */
  private static final class OtherRules {
    private final List<CompiledRule> rules = new ArrayList<>(2);
    private final List<CompiledRule> shadowDenied = new ArrayList<>(2);
    private @Nullable CompiledRule allowing;
    private @Nullable CompiledRule denying;
    private @Nullable CompiledRule withoutIdentity;
  }

  /**
   * Creates an evaluation.
   *
   * @param shadowAll whether every rule is a shadow rule
   * @param reportBands whether the result lists all bands
   * @param dryRun whether nothing is acquired and nothing counted
   */
  Evaluation(boolean shadowAll, boolean reportBands, boolean dryRun) {
    this.shadowAll = shadowAll;
    this.reportBands = reportBands;
    this.dryRun = dryRun;
  }

  boolean reportsBands() {
    return reportBands;
  }

  boolean dryRun() {
    return dryRun;
  }

  private OtherRules others() {
    OtherRules all = others == null ? new OtherRules() : others;
    others = all;
    return all;
  }

  /** Says which limit of a call the buckets belong to that are added from now on. */
  void addFor(CallLimit limit) {
    CallPolicies policies = call == null ? new CallPolicies() : call;
    call = policies;
    policies.next(limit);
  }

  /** Notes the rule by which another decided; null if it is not known here. */
  void decidedElsewhereBy(@Nullable CompiledRule known) {
    if (known != null) {
      others().rules.add(known);
    }
  }

  /** Collects the rules of an index that apply to a request, without those of some rule sets. */
  void match(
      RuleIndex index,
      RequestContext request,
      Set<String> except,
      ActiveRules rules,
      RankList ranks) {
    index.find(request, ranks);
    for (int i = 0; i < ranks.size(); i++) {
      CompiledRule candidate = index.get(ranks.get(i));
      if ((except.isEmpty() || !except.contains(candidate.rule().ruleSetId()))
          && candidate.mismatch(request) == null
          && apply(candidate, request, rules.meter(candidate))) {
        break;
      }
    }
    if (more != null) {
      more.digests = null;
    }
  }

  @Override
  public String digest(String identity) {
    // Nothing is kept for the first buckets, so that a check with one allocates no more for it.
    MoreBuckets rest = more;
    if (rest == null) {
      return IdentityDigest.of(identity);
    }
    RecentDigests recent = rest.digests == null ? new RecentDigests() : rest.digests;
    rest.digests = recent;
    return recent.digest(identity);
  }

  /** Applies a rule that matches; returns whether the rules after it are not considered. */
  boolean apply(CompiledRule applied, RequestContext request, RuleMeter counter) {
    if (!applied.limiting()) {
      return applyAction(applied, counter);
    }
    String identity = applied.identity(request, this);
    if (identity == null) {
      if (applied.rule().onMissingIdentity() == OnMissingIdentity.SKIP) {
        return false;
      }
      deny(applied, counter);
      if (!isShadow(applied) && others().withoutIdentity == null) {
        others().withoutIdentity = applied;
      }
    } else {
      RateLimitKey key = new RateLimitKey(applied.limits(), identity);
      long cost = request.cost();
      if (call != null) {
        cost = CompiledRule.product(cost, call.cost());
      }
      add(key, applied.cost(cost), isShadow(applied), applied, counter);
    }
    return applied.stop();
  }

  /** Applies an ALLOW or DENY rule; returns whether the rules after it are not considered. */
  boolean applyAction(CompiledRule applied, RuleMeter counter) {
    if (applied.rule().action() == Action.ALLOW) {
      others().rules.add(applied);
      others().allowing = applied;
      count(counter, RuleResult.ALLOWED);
      return true;
    }
    deny(applied, counter);
    if (!isShadow(applied) && others().denying == null) {
      others().denying = applied;
    }
    return applied.stop();
  }

  private void deny(CompiledRule applied, RuleMeter counter) {
    others().rules.add(applied);
    boolean shadow = isShadow(applied);
    count(counter, shadow ? RuleResult.SHADOW_DENIED : RuleResult.DENIED);
    if (shadow) {
      others().shadowDenied.add(applied);
    }
  }

  private void count(RuleMeter counter, RuleResult result) {
    if (!dryRun) {
      counter.count(result);
    }
  }

  /**
   * Adds the bucket of a check under one rule.
   *
   * @param applied the rule; null if only the caller knows it, which then brings its limits
   */
  void add(LimitCheck.OfRule check, @Nullable CompiledRule applied, RuleMeter counter) {
    BucketLimits limits =
        check.limits().isPresent()
            ? new BucketLimits(BucketLimits.OwnerKind.RULE, check.ruleId(), check.limits().get())
            : null;
    if (applied != null) {
      String identity = applied.identityOf(check.identity());
      RateLimitKey key = new RateLimitKey(limits == null ? applied.limits() : limits, identity);
      add(key, applied.cost(check.cost()), isShadow(applied), applied, counter);
    } else if (limits != null) {
      add(limits, IdentityScheme.named(check.identity()), check.cost(), counter);
    } else {
      throw new UnknownNameException("rule", check.ruleId());
    }
  }

  /** Adds the bucket of a caller under a rule, whose path, match and key are not consulted. */
  void add(CallLimit.OfRule limit, CompiledRule applied, RuleMeter counter) {
    RateLimitKey key = new RateLimitKey(applied.limits(), limit.identity());
    add(key, applied.cost(limit.cost()), isShadow(applied), applied, counter);
  }

  /** Adds a bucket that no rule of the book owns. */
  void add(BucketLimits limits, String identity, long cost, RuleMeter counter) {
    add(new RateLimitKey(limits, identity), cost, shadowAll, null, counter);
  }

  private void add(
      RateLimitKey key,
      long cost,
      boolean shadow,
      @Nullable CompiledRule owner,
      RuleMeter counter) {
    if (acquisition == null) {
      acquisition = Acquisition.of(key, cost, shadow, dryRun);
      rule = owner;
      meter = counter;
    } else if (call != null && joined(call, key, cost, shadow)) {
      return;
    } else {
      addMore(acquisition, key, cost, shadow, owner, counter);
    }
    if (call != null) {
      call.add();
    }
  }

  private void addMore(
      Acquisition first,
      RateLimitKey key,
      long cost,
      boolean shadow,
      @Nullable CompiledRule owner,
      RuleMeter counter) {
    MoreBuckets rest = more == null ? new MoreBuckets(first) : more;
    more = rest;
    rest.builder.add(key, cost, shadow);
    rest.rules.add(owner);
    rest.meters.add(counter);
    rest.changed = true;
  }

  /**
   * Joins a bucket with an equal one that another limit of the call named: the larger cost counts,
   * it is enforced if one of them is, and both policies apply. Returns false if there is no such
   * bucket.
   */
  private boolean joined(CallPolicies policies, RateLimitKey key, long cost, boolean shadow) {
    Acquisition all = acquisition();
    for (int i = 0; i < all.size(); i++) {
      if (all.key(i).equals(key)) {
        acquisition = all.with(i, Math.max(cost, all.cost(i)), shadow && all.shadow(i));
        if (more != null) {
          more.builder = acquisition.toBuilder();
        }
        policies.join(i);
        return true;
      }
    }
    return false;
  }

  private boolean isShadow(CompiledRule applied) {
    return shadowAll || applied.shadow();
  }

  /** Returns how many buckets there are. */
  int size() {
    return acquisition == null ? 0 : 1 + (more == null ? 0 : more.rules.size());
  }

  /** Returns how many rules and plans applied. */
  int applied() {
    return size() + (others == null ? 0 : others.rules.size());
  }

  /** Returns what to acquire together; there has to be a bucket. */
  Acquisition acquisition() {
    if (acquisition == null) {
      throw new IllegalStateException("the check has no bucket to acquire from");
    }
    if (more != null && more.changed) {
      acquisition = more.builder.build();
      more.changed = false;
    }
    return acquisition;
  }

  /** Returns the rule that owns bucket {@code i}; null for a plan or an unknown rule. */
  private @Nullable CompiledRule rule(int i) {
    return i == 0 || more == null ? rule : more.rules.get(i - 1);
  }

  /** Returns the rule set of the rule that owns bucket {@code i}. */
  String ruleSetId(int i) {
    CompiledRule owner = rule(i);
    return owner == null ? RateLimitRule.DEFAULT_RULE_SET : owner.ruleSetId();
  }

  /** Counts the result of bucket {@code i}. */
  void count(int i, RuleResult result) {
    count(i == 0 || more == null ? meter : more.meters.get(i - 1), result);
  }

  /** Returns the ALLOW rule that applied, or null. */
  @Nullable RateLimitRule allowingRule() {
    return others == null || others.allowing == null ? null : others.allowing.rule();
  }

  /** Returns the enforced DENY rule that applied, or null. */
  @Nullable RateLimitRule denyingRule() {
    return others == null || others.denying == null ? null : others.denying.rule();
  }

  /** Returns the enforced rule that applied to a request without identity, or null. */
  @Nullable RateLimitRule ruleWithoutIdentity() {
    return others == null || others.withoutIdentity == null ? null : others.withoutIdentity.rule();
  }

  /** Returns whether no rule applied, and no plan. */
  boolean isEmpty() {
    return acquisition == null && others == null;
  }

  /** Returns the shadow rules without a bucket that would have denied. */
  List<String> shadowDenied() {
    return others == null
        ? List.of()
        : others.shadowDenied.stream().map(denied -> denied.rule().id()).toList();
  }

  /**
   * Returns the ids of all shadow rules and plans that would have denied, in order of evaluation.
   *
   * @param buckets the buckets that would have denied, ascending; at least one
   */
  List<String> shadowDenied(BitSet buckets) {
    if (others == null || others.shadowDenied.isEmpty()) {
      return buckets.stream().mapToObj(this::ownerId).toList();
    }
    // Buckets and the rules without one were collected apart, each of them in order.
    List<String> ids = new ArrayList<>();
    int next = 0;
    List<CompiledRule> without = others.shadowDenied;
    for (int bucket : buckets.stream().toArray()) {
      CompiledRule owner = rule(bucket);
      while (owner != null && next < without.size() && without.get(next).rank() < owner.rank()) {
        ids.add(without.get(next++).rule().id());
      }
      ids.add(ownerId(bucket));
    }
    without.subList(next, without.size()).forEach(denied -> ids.add(denied.rule().id()));
    return Collections.unmodifiableList(ids);
  }

  private String ownerId(int bucket) {
    return acquisition().key(bucket).limits().ownerId();
  }

  /** Returns the rules that applied in order of evaluation, for listeners. */
  List<RateLimitRule> appliedRules() {
    List<CompiledRule> all = new ArrayList<>(others == null ? List.of() : others.rules);
    for (int i = 0; i < size(); i++) {
      CompiledRule owner = rule(i);
      if (owner != null) {
        all.add(owner);
      }
    }
    all.sort(Comparator.comparingInt(CompiledRule::rank));
    return all.stream().map(CompiledRule::rule).toList();
  }

  /** Returns what decides when the store fails, or null if no bucket is enforced. */
  @Nullable OnStoreFailure onStoreFailure(OnStoreFailure byDefault) {
    OnStoreFailure strictest = null;
    for (int i = 0; i < size(); i++) {
      if (acquisition().shadow(i)) {
        continue;
      }
      OnStoreFailure own = onStoreFailure(i).orElse(byDefault);
      strictest = strictest == null ? own : strictest.strictest(own);
    }
    return strictest == null || call == null ? strictest : call.strictest(strictest, byDefault);
  }

  /** Returns what the rule of bucket {@code i} says, else the limit of the call. */
  private Optional<OnStoreFailure> onStoreFailure(int i) {
    CompiledRule owner = rule(i);
    if (owner != null && owner.rule().onStoreFailure().isPresent()) {
      return owner.rule().onStoreFailure();
    }
    return call == null ? Optional.empty() : call.onStoreFailure(i);
  }

  /** Returns whether a caller waits when bucket {@code i} denies. */
  boolean waits(int i, OnLimitExceed byDefault) {
    CompiledRule owner = rule(i);
    Optional<OnLimitExceed> own = owner == null ? Optional.empty() : owner.rule().onLimitExceed();
    if (own.isEmpty() && call != null) {
      own = call.onLimitExceed(i);
    }
    return own.orElse(byDefault) == OnLimitExceed.WAIT_FOR_REFILL;
  }

  /** Returns whether a caller waits when some enforced bucket denies. */
  boolean mayWait(OnLimitExceed byDefault) {
    for (int i = 0; i < size(); i++) {
      if (waits(i, byDefault) && !acquisition().shadow(i)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a caller waits after this denial: if it waits for every bucket that denies. */
  boolean waits(Acquisition acquired, Outcome outcome, OnLimitExceed byDefault) {
    for (int i = 0; i < acquired.size(); i++) {
      boolean denies = !acquired.shadow(i) && outcome.seen(i) && !outcome.passed(i);
      if (denies && !waits(i, byDefault)) {
        return false;
      }
    }
    return ReportedBand.costExceedsCapacity(acquired) == ReportedBand.NONE;
  }
}
