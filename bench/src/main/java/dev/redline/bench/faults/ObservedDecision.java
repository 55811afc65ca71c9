package dev.redline.bench.faults;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.rule.OnStoreFailure;

/**
 * One decision as its caller observed it.
 *
 * @param strategy the rule's strategy for a failing store
 * @param caller the identity, which has its own bucket
 * @param startNanos when the caller made the check
 * @param endNanos when the caller got the result
 * @param reason the reason of the result
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

  /** Returns whether the rule's strategy permits this decision. */
  boolean matchesStrategy() {
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
