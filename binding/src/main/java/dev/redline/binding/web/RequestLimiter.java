package dev.redline.binding.web;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.UnknownNameException;
import dev.redline.core.key.RequestContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** Decides requests of one filter by its rule set. Thread-safe. */
public final class RequestLimiter {
  private static final Logger LOG = System.getLogger(RequestLimiter.class.getName());

  private final RateLimitHandler handler;
  private final Optional<String> ruleSetId;
  private final MissingRules missingRules;
  private final FilterShares shares;
  private final AtomicBoolean warned = new AtomicBoolean();

  /** Creates a limiter that leaves nothing to others. */
  public RequestLimiter(
      RateLimitHandler handler, Optional<String> ruleSetId, MissingRules missingRules) {
    this(handler, ruleSetId, missingRules, FilterShares.ALONE);
  }

  /**
   * Creates a limiter.
   *
   * @param handler what decides
   * @param ruleSetId the rule set; if absent, the handler's default
   * @param missingRules whether requests are allowed if the rule set does not exist
   * @param shares what is left to other filters
   */
  public RequestLimiter(
      RateLimitHandler handler,
      Optional<String> ruleSetId,
      MissingRules missingRules,
      FilterShares shares) {
    this.handler = handler;
    this.ruleSetId = ruleSetId;
    this.missingRules = missingRules;
    this.shares = shares;
  }

  /** Returns the rule set; if absent, the handler's default. */
  public Optional<String> ruleSetId() {
    return ruleSetId;
  }

  /**
   * Decides a request; a caller may wait if its limits say so. Cancelling the returned future ends
   * the wait.
   */
  public CompletableFuture<RateLimitResult> check(RequestContext request) {
    Set<String> left = shares.leftToOthers(request.normalizedPath());
    return left == null
        ? CompletableFuture.completedFuture(RateLimitResult.of(Reason.NO_MATCHING_RULE))
        : check(new LimitCheck.OfRequest(ruleSetId, request, left));
  }

  /** Decides another check in the same way, such as one of a plan that may not exist. */
  public CompletableFuture<RateLimitResult> check(LimitCheck check) {
    CompletionStage<RateLimitResult> stage = handler.handle(check);
    CompletableFuture<RateLimitResult> decided = stage.toCompletableFuture();
    if (decided.isDone() && !decided.isCompletedExceptionally()) {
      return decided;
    }
    Decision result = new Decision(decided);
    stage.exceptionally(this::missing).whenComplete(result::settle);
    return result;
  }

  private RateLimitResult missing(Throwable failure) {
    Throwable cause = unwrapped(failure);
    if (!(cause instanceof UnknownNameException)) {
      throw new CompletionException(cause);
    }
    if (missingRules == MissingRules.REJECT) {
      return RateLimitResult.of(Reason.MISSING_RULE_SET);
    }
    if (warned.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          cause.getMessage()
              + ": the requests of its filter are allowed, see rl.missing-rule-behavior");
    }
    return RateLimitResult.of(Reason.NO_MATCHING_RULE);
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** A decision under way; cancelling it ends the wait of the caller. */
  private static final class Decision extends CompletableFuture<RateLimitResult> {
    private final CompletableFuture<RateLimitResult> source;

    Decision(CompletableFuture<RateLimitResult> source) {
      this.source = source;
    }

    void settle(RateLimitResult result, Throwable failure) {
      if (failure == null) {
        complete(result);
      } else {
        completeExceptionally(unwrapped(failure));
      }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      source.cancel(mayInterrupt);
      return cancelled;
    }
  }
}
