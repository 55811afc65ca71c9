package dev.redline.application;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What decides for filters and annotated methods: the {@link RateLimitHandler} bean of the
 * application, else the engine. The engine is a handler itself, so a type of its own names the
 * choice.
 *
 * @param handler the handler
 */
public record ChosenHandler(RateLimitHandler handler) {
  private static final RateLimitResult DISABLED = RateLimitResult.of(Reason.DISABLED);

  /** Returns the application's handler, which is not called while {@code rl.enabled} is false. */
  public static ChosenHandler ofApplication(RateLimitHandler own, RateLimitEngine killSwitch) {
    return new ChosenHandler(
        new RateLimitHandler() {
          @Override
          public CompletionStage<RateLimitResult> handle(LimitCheck check) {
            return killSwitch.enabled()
                ? own.handle(check)
                : CompletableFuture.completedFuture(DISABLED);
          }

          @Override
          public RateLimitResult handleAndWait(LimitCheck check) throws InterruptedException {
            return killSwitch.enabled() ? own.handleAndWait(check) : DISABLED;
          }
        });
  }
}
