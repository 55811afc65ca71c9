package dev.redline.core;

import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A check that the engine decides: of a request, of a caller under one rule, or of plans. */
public sealed interface LimitCheck
    permits LimitCheck.OfRequest, LimitCheck.OfRule, LimitCheck.OfPlans {

  /**
   * Checks a request against the rules that match it.
   *
   * @param ruleSetId the rule set to evaluate; if absent the configured default, else all rules
   * @param request the request
   */
  record OfRequest(Optional<String> ruleSetId, RequestContext request) implements LimitCheck {}

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

  private static void checkCost(long cost) {
    if (cost < 1 || cost > RateLimitBand.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "cost must be 1 to " + RateLimitBand.MAX_TOKENS + ", was " + cost);
    }
  }
}
