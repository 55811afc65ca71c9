package dev.redline.core;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire, before it counts as the decision: a caller who may wait discards the
 * denials of all attempts but the last.
 *
 * @param asked what was acquired; the fallback's share of it if the fallback decided
 * @param outcome what a store returned, or null if no store could decide
 * @param strategy what decides if no store could, or null if nothing enforced was acquired
 */
record Attempt(Acquisition asked, @Nullable Outcome outcome, @Nullable OnStoreFailure strategy) {
  static Attempt of(Acquisition asked, Outcome outcome) {
    return new Attempt(asked, outcome, null);
  }

  static Attempt failed(Acquisition asked, @Nullable OnStoreFailure strategy) {
    return new Attempt(asked, null, strategy);
  }

  /** Makes it the decision. */
  RateLimitResult finish(Evaluation evaluation) {
    return outcome == null ? evaluation.failed(strategy) : evaluation.finish(asked, outcome);
  }
}
