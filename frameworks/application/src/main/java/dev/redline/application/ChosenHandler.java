package dev.redline.application;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.internal.token.JwtSettings;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What decides for filters and annotated methods: the {@link RateLimitHandler} bean of the
 * application, else the engine. The engine is a handler itself, so a type of its own names the
 * choice.
 *
 * @param handler the handler
 */
public record ChosenHandler(RateLimitHandler handler) {
  private static final RateLimitResult DISABLED = RateLimitResult.of(Reason.DISABLED);
  private static final RateLimitResult INVALID_TOKEN = RateLimitResult.of(Reason.MISSING_IDENTITY);

  /**
   * Returns what decides.
   *
   * @param own the application's handler, which is not called while {@code rl.enabled} is false
   */
  public static ChosenHandler of(
      ApplicationSettings settings, RateLimitEngine engine, Optional<RateLimitHandler> own) {
    RateLimitHandler handler =
        own.<RateLimitHandler>map(
                each -> new Guarded(each, check -> engine.enabled() ? null : DISABLED))
            .orElse(engine);
    boolean deniesTokens =
        settings.jwt().map(jwt -> jwt.onInvalid() == JwtSettings.OnInvalid.REJECT).orElse(false);
    return new ChosenHandler(
        deniesTokens
            ? new Guarded(
                handler, check -> engine.enabled() && hasInvalidToken(check) ? INVALID_TOKEN : null)
            : handler);
  }

  private static boolean hasInvalidToken(LimitCheck check) {
    return (check instanceof LimitCheck.OfRequest filtered
            && ClientIdentity.isDenied(filtered.request()))
        || (check instanceof LimitCheck.OfLimits called
            && ClientIdentity.isDenied(called.request()));
  }

  /**
   * Decides some checks before a handler does.
   *
   * @param handler decides the others
   * @param before returns the result of a check, or null to leave it to the handler
   */
  private record Guarded(
      RateLimitHandler handler, Function<LimitCheck, @Nullable RateLimitResult> before)
      implements RateLimitHandler {
    @Override
    public CompletionStage<RateLimitResult> handle(LimitCheck check) {
      RateLimitResult result = before.apply(check);
      return result == null ? handler.handle(check) : CompletableFuture.completedFuture(result);
    }

    @Override
    public RateLimitResult handleAndWait(LimitCheck check) throws InterruptedException {
      RateLimitResult result = before.apply(check);
      return result == null ? handler.handleAndWait(check) : result;
    }
  }
}
