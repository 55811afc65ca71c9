package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import java.util.Objects;
import java.util.Optional;

/** One limit of a call, with the caller it counts; see {@link LimitCheck.OfLimits}. */
public sealed interface CallLimit permits CallLimit.OfRule, CallLimit.OfPlan, CallLimit.OfRuleSet {
  /** The identity of callers without a key: one bucket for each limit, which no key can name. */
  String NO_KEY = IdentityScheme.NO_KEY;

  /** Returns how many tokens the call costs. */
  long cost();

  /**
   * What happens to a caller over a limit, and what decides if the store fails.
   *
   * @param onStoreFailure what decides if the store fails; if absent the configured default
   * @param onLimitExceed what happens to a caller over the limit; if absent the configured default
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
   * @param policy what happens over the limit, and when the store fails, for rules that do not say
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
      throw new IllegalArgumentException("identity must not be empty; without a key it is NO_KEY");
    }
  }

  private static void checkCost(long cost) {
    if (cost < 1 || cost > RateLimitBand.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "cost must be 1 to " + RateLimitBand.MAX_TOKENS + ", was " + cost);
    }
  }
}
