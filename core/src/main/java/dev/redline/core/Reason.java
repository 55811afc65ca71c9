package dev.redline.core;

/** Why a decision is what it is. */
public enum Reason {
  /** All limits pass. */
  ALLOWED(true),
  /** No rule applies. */
  NO_MATCHING_RULE(true),
  /** Limiting is switched off, or the named rule is. */
  DISABLED(true),
  /** The store failed, and the rules say to pass then. */
  FAIL_OPEN(true),
  /** The store failed, and the fallback of this node passed it. */
  LOCAL_FALLBACK(true),
  /** A limit is exceeded. */
  LIMIT_EXCEEDED(false),
  /** A limit is exceeded, and waiting for refill took too long. */
  WAIT_TIMEOUT(false),
  /** The request costs more than a limit can ever hold; waiting does not help. */
  COST_EXCEEDS_CAPACITY(false),
  /** The store failed, and the rules say to refuse then. */
  FAIL_CLOSED(false),
  /** A rule refuses such requests. */
  BLOCKED(false),
  /** The request does not tell whom to count. */
  MISSING_IDENTITY(false),
  /** There are no rules to decide by, and the configuration says to refuse then. */
  MISSING_RULE_SET(false);

  private final boolean allowed;

  Reason(boolean allowed) {
    this.allowed = allowed;
  }

  /** Returns whether a request with this reason may go on. */
  public boolean allowed() {
    return allowed;
  }
}
