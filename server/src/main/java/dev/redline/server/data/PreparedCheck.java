package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A check that the engine can decide on.
 *
 * @param check the check
 * @param dryRun whether nothing is acquired
 * @param deniesToken whether the request is denied because its token is not valid
 */
record PreparedCheck(LimitCheck check, boolean dryRun, boolean deniesToken) {
  private static final RateLimitResult INVALID_TOKEN = RateLimitResult.of(Reason.MISSING_IDENTITY);

  CompletionStage<RateLimitResult> decide(RateLimitEngine engine) {
    return deniesToken && engine.enabled()
        ? CompletableFuture.completedFuture(INVALID_TOKEN)
        : engine.decideForEventLoop(check, dryRun);
  }

  CompletionStage<Explanation> explain(RateLimitEngine engine) {
    return deniesToken && engine.enabled()
        ? CompletableFuture.completedFuture(new Explanation(INVALID_TOKEN, List.of()))
        : engine.explain(check);
  }
}
