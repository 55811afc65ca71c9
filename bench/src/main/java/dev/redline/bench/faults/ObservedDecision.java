package dev.redline.bench.faults;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.rule.OnStoreFailure;

/**
 * One decision as its caller saw it.
 *
 * @param strategy what the rule says to do when the store fails
 * @param caller whose bucket
 * @param startNanos when it was asked for
 * @param endNanos when it came
 * @param reason what it was
 * @param degraded whether the shared store did not decide
 */
record ObservedDecision(
    OnStoreFailure strategy,
    int caller,
    long startNanos,
    long endNanos,
    Reason reason,
    boolean degraded) {

  static ObservedDecision of(
      OnStoreFailure strategy, int caller, long start, long end, RateLimitResult result) {
    return new ObservedDecision(strategy, caller, start, end, result.reason(), result.degraded());
  }

  long latencyNanos() {
    return endNanos - startNanos;
  }

  /** Returns whether the rule's strategy allows such a decision. */
  boolean fits() {
    return switch (reason) {
      case ALLOWED -> !degraded;
      case LIMIT_EXCEEDED -> !degraded || strategy == OnStoreFailure.LOCAL;
      case FAIL_OPEN -> degraded && strategy == OnStoreFailure.OPEN;
      case FAIL_CLOSED -> degraded && strategy == OnStoreFailure.CLOSED;
      case LOCAL_FALLBACK -> degraded && strategy == OnStoreFailure.LOCAL;
      default -> false;
    };
  }
}
