package dev.redline.core;

import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What can be asked of the engine; one of three forms. */
public sealed interface LimitCheck
    permits LimitCheck.OfRequest, LimitCheck.OfRule, LimitCheck.OfPlans {

  /**
   * May this request go on, by the rules that match it?
   *
   * @param ruleSetId the rule set to look at; else the configured default, else all rules
   * @param request the request
   */
  record OfRequest(Optional<String> ruleSetId, RequestContext request) implements LimitCheck {}

  /**
   * May this caller go on under one rule, whatever the request?
   *
   * @param ruleId the rule
   * @param identity what the rule's key fields would yield, one value each
   * @param limits the limits to apply in place of the rule's own, for callers that own the rules;
   *     the rule need not exist then, and what else it says goes on to apply if it does
   * @param cost how much the request weighs
   */
  record OfRule(
      String ruleId, List<String> identity, Optional<List<RateLimitBand>> limits, long cost)
      implements LimitCheck {
    /** Checks the cost, and labels the limits by the rule. */
    public OfRule {
      Objects.requireNonNull(ruleId, "ruleId");
      identity = List.copyOf(identity);
      limits = limits.map(bands -> RateLimitBand.labelled(ruleId, bands));
      checkCost(cost);
    }
  }

  /**
   * May this key go on under the named plans?
   *
   * @param plans the plans; one named twice counts once
   * @param key whose buckets
   * @param cost how much the request weighs
   */
  record OfPlans(List<String> plans, String key, long cost) implements LimitCheck {
    /** Checks that there are a plan, a key and a cost. */
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

  /** Asks for a request. */
  static LimitCheck ofRequest(RequestContext request) {
    return new OfRequest(Optional.empty(), request);
  }

  /** Asks for a request by the rules of one set. */
  static LimitCheck ofRequest(String ruleSetId, RequestContext request) {
    return new OfRequest(Optional.of(ruleSetId), request);
  }

  /** Asks for a caller under one rule. */
  static LimitCheck ofRule(String ruleId, List<String> identity, long cost) {
    return new OfRule(ruleId, identity, Optional.empty(), cost);
  }

  /** Asks for a key under plans. */
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
