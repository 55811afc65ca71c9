package dev.redline.core;

/** The reason of a decision. */
public enum Reason {
  /** All limits allow the request. */
  ALLOWED(true),
  /** No rule applies. */
  NO_MATCHING_RULE(true),
  /** Limiting or the named rule is disabled. */
  DISABLED(true),
  /** The store failed, and the failure strategy allows the request. */
  FAIL_OPEN(true),
  /** The store failed, and the local fallback of this node allowed the request. */
  LOCAL_FALLBACK(true),
  /** A limit is exceeded. */
  LIMIT_EXCEEDED(false),
  /** A limit is exceeded, and the wait for a refill took or would take too long. */
  WAIT_TIMEOUT(false),
  /** The cost is larger than the capacity of a limit, so that waiting does not help. */
  COST_EXCEEDS_CAPACITY(false),
  /** The store failed, and the failure strategy denies the request. */
  FAIL_CLOSED(false),
  /** A rule with action {@code DENY} matches. */
  BLOCKED(false),
  /** The request lacks the identity that a rule counts by. */
  MISSING_IDENTITY(false),
  /** There are no rules, and the configuration denies requests in this case. */
  MISSING_RULE_SET(false);

  private final boolean allowed;

  Reason(boolean allowed) {
    this.allowed = allowed;
  }

  /** Returns whether a request with this reason is allowed. */
  public boolean allowed() {
    return allowed;
  }
}
