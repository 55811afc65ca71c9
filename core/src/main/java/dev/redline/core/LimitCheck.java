package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A check that the engine decides: of a request, of a caller under one rule, of a key under plans,
 * or of several limits with their own keys.
 */
public sealed interface LimitCheck
    permits LimitCheck.OfRequest, LimitCheck.OfRule, LimitCheck.OfPlans, LimitCheck.OfLimits {

  /**
   * Checks a request against the rules that match it.
   *
   * @param ruleSetId the rule set to evaluate; if absent the configured default, else all rules
   * @param request the request
   * @param except the rule sets whose rules are left out, because another check of the same request
   *     decides by them; names that no set has are ignored
   */
  record OfRequest(Optional<String> ruleSetId, RequestContext request, Set<String> except)
      implements LimitCheck {
    /** Copies the set. */
    public OfRequest {
      except = Set.copyOf(except);
    }

    /** Creates a check that leaves no rule set out. */
    public OfRequest(Optional<String> ruleSetId, RequestContext request) {
      this(ruleSetId, request, Set.of());
    }
  }

  /**
   * Checks a caller against one rule, without matching a request.
   *
   * @param ruleId the rule
   * @param identity the values of the rule's key fields, one for each
   * @param limits the limits to apply instead of the rule's own, for callers that own the rules;
   *     the rule need not exist then, and its other fields apply if it does
   * @param cost the cost of the request, in tokens
   */
  record OfRule(
      String ruleId, List<String> identity, Optional<List<RateLimitBand>> limits, long cost)
      implements LimitCheck {
    /** Validates the cost, and labels unlabelled limits by the rule. */
    public OfRule {
      Objects.requireNonNull(ruleId, "ruleId");
      identity = List.copyOf(identity);
      limits = limits.map(bands -> RateLimitBand.labelled(ruleId, bands));
      checkCost(cost);
    }
  }

  /**
   * Checks a key against the bands of the named plans.
   *
   * @param plans the ids of the plans; duplicates have no effect
   * @param key the identity whose buckets are charged
   * @param cost the cost of the request, in tokens
   */
  record OfPlans(List<String> plans, String key, long cost) implements LimitCheck {
    /** Validates that there are a plan and a key, and that the cost is in range. */
    public OfPlans {
      if (plans.isEmpty()) {
        throw new IllegalArgumentException("plans must name at least one plan");
      }
      if (key.isEmpty()) {
        throw new IllegalArgumentException("key must not be empty");
      }
      checkCost(cost);
    }
  }

  /**
   * Checks a call against several limits, each with its own key, as one acquisition: all of them
   * allow the call, or nothing is acquired. A bucket that two limits name is charged once, with the
   * larger cost. What {@code @RateLimit} on a method means.
   *
   * @param limits the limits, in the order in which equal denials are reported; at least one
   * @param request what is known of the current request; {@link RequestContext#EMPTY} outside of
   *     requests
   */
  record OfLimits(List<CallLimit> limits, RequestContext request) implements LimitCheck {
    /** Validates that there is a limit. */
    public OfLimits {
      limits = List.copyOf(limits);
      Objects.requireNonNull(request, "request");
      if (limits.isEmpty()) {
        throw new IllegalArgumentException("limits must have at least one limit");
      }
    }
  }

  /** Returns a check of a request. */
  static LimitCheck ofRequest(RequestContext request) {
    return new OfRequest(Optional.empty(), request);
  }

  /** Returns a check of a request against the rules of one set. */
  static LimitCheck ofRequest(String ruleSetId, RequestContext request) {
    return new OfRequest(Optional.of(ruleSetId), request);
  }

  /** Returns a check of a caller against one rule. */
  static LimitCheck ofRule(String ruleId, List<String> identity, long cost) {
    return new OfRule(ruleId, identity, Optional.empty(), cost);
  }

  /** Returns a check of a key against plans. */
  static LimitCheck ofPlans(List<String> plans, String key, long cost) {
    return new OfPlans(plans, key, cost);
  }

  /** Returns a check of a call against several limits. */
  static LimitCheck ofLimits(List<CallLimit> limits, RequestContext request) {
    return new OfLimits(limits, request);
  }

  /** Rejects a cost out of range. */
  private static void checkCost(long cost) {
    if (cost < 1 || cost > RateLimitBand.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "cost must be 1 to " + RateLimitBand.MAX_TOKENS + ", was " + cost);
    }
  }

  /** One limit of a call, with the caller it counts; see {@link LimitCheck.OfLimits}. */
  sealed interface CallLimit permits CallLimit.OfRule, CallLimit.OfPlan, CallLimit.OfRuleSet {
    /** The identity of callers without a key: one bucket for each limit, which no key can name. */
    String NO_KEY = IdentityScheme.NO_KEY;

    /** Returns how many tokens the call costs. */
    long cost();

    /**
     * What happens to a caller over a limit, and what decides if the store fails.
     *
     * @param onStoreFailure what decides if the store fails; if absent the configured default
     * @param onLimitExceed what happens to a caller over the limit; if absent the configured
     *     default
     */
    record Policy(Optional<OnStoreFailure> onStoreFailure, Optional<OnLimitExceed> onLimitExceed) {
      /** The configured defaults. */
      public static final Policy DEFAULT = new Policy(Optional.empty(), Optional.empty());

      /** Rejects null. */
      public Policy {
        Objects.requireNonNull(onStoreFailure, "onStoreFailure");
        Objects.requireNonNull(onLimitExceed, "onLimitExceed");
      }
    }

    /**
     * A caller under a rule that the application {@linkplain RateLimitEngine#declare declared}. The
     * rule in force of the same id decides; its path, method, match and key are not consulted.
     *
     * @param rule the rule as it was declared
     * @param identity the identity whose bucket is charged, not empty
     * @param cost the cost of the call, in tokens; the rule multiplies it by its own
     */
    record OfRule(RateLimitRule rule, String identity, long cost) implements CallLimit {
      /** Validates identity and cost. */
      public OfRule {
        Objects.requireNonNull(rule, "rule");
        checkIdentity(identity);
        checkCost(cost);
      }
    }

    /**
     * A key under a plan: the same bucket as that of {@link LimitCheck.OfPlans}.
     *
     * @param plan the id of the plan
     * @param identity the identity whose bucket is charged, not empty
     * @param cost the cost of the call, in tokens
     * @param policy what happens over the limit, and when the store fails
     */
    record OfPlan(String plan, String identity, long cost, Policy policy) implements CallLimit {
      /** Validates identity and cost. */
      public OfPlan {
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(policy, "policy");
        checkIdentity(identity);
        checkCost(cost);
      }
    }

    /**
     * The rules of a set that match the current request.
     *
     * @param ruleSetId the rule set
     * @param cost the cost of the call, by which that of the request is multiplied
     * @param policy what happens over the limit, and when the store fails, for rules that do not
     *     say
     */
    record OfRuleSet(String ruleSetId, long cost, Policy policy) implements CallLimit {
      /** Validates the cost. */
      public OfRuleSet {
        Objects.requireNonNull(ruleSetId, "ruleSetId");
        Objects.requireNonNull(policy, "policy");
        checkCost(cost);
      }
    }

    private static void checkIdentity(String identity) {
      if (identity.isEmpty()) {
        throw new IllegalArgumentException(
            "identity must not be empty; without a key it is NO_KEY");
      }
    }
  }
}
