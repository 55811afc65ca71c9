package dev.redline.core;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire, before it counts as the decision: a caller who may wait discards the
 * denials of all attempts but the last.
 *
 * @param acquired what was acquired; the fallback's share of it if the fallback decided
 * @param outcome what a store returned, or null if no store could decide
 * @param strategy what decides if no store could, or null if nothing enforced was acquired
 */
record Attempt(Acquisition acquired, @Nullable Outcome outcome, @Nullable OnStoreFailure strategy) {
  static Attempt of(Acquisition acquired, Outcome outcome) {
    return new Attempt(acquired, outcome, null);
  }

  static Attempt failed(Acquisition acquired, @Nullable OnStoreFailure strategy) {
    return new Attempt(acquired, null, strategy);
  }

  /** Makes this attempt the decision. */
  RateLimitResult finish(Evaluation evaluation) {
    return outcome == null
        ? DecisionFinisher.finishFailed(evaluation, strategy)
        : DecisionFinisher.finish(evaluation, acquired, outcome);
  }
}
