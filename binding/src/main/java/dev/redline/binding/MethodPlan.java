package dev.redline.binding;

import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The plan of one method. */
final class MethodPlan implements CallPlan {
  /** The result of a call that no limit applies to. */
  private static final RateLimitResult NOT_LIMITED = RateLimitResult.of(Reason.NO_MATCHING_RULE);

  private final String location;
  private final PlannedLimit[] limits;
  private final RateLimitHandler handler;
  private final @Nullable Fallback fallback;
  private final @Nullable ReturnAdapter adapter;
  private final boolean mayWait;
  private final boolean needsRequest;
  private final Runnable declare;
  private volatile boolean declared;

  /**
   * Creates a plan.
   *
   * @param adapter runs the method if it is asynchronous, else null
   * @param mayWait whether a caller may wait for a refill
   * @param declare makes the rules of all plans known to the engine; runs before the first decision
   */
  MethodPlan(
      String location,
      List<PlannedLimit> limits,
      RateLimitHandler handler,
      @Nullable Fallback fallback,
      @Nullable ReturnAdapter adapter,
      boolean mayWait,
      Runnable declare) {
    this.location = location;
    this.limits = limits.toArray(PlannedLimit[]::new);
    this.handler = handler;
    this.fallback = fallback;
    this.adapter = adapter;
    this.mayWait = mayWait;
    this.declare = declare;
    this.needsRequest = limits.stream().anyMatch(PlannedLimit::needsRequest);
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public boolean needsRequest() {
    return needsRequest;
  }

  @Override
  public boolean isAsynchronous() {
    return adapter != null;
  }

  /** Returns whether a call may wait for a refill. */
  boolean mayWait() {
    return mayWait;
  }

  @Override
  public @Nullable Object invoke(Call call) throws Throwable {
    if (adapter != null) {
      return adapter.adapt(this, call);
    }
    return complete(call, call.mayBlock() ? decideAndWait(call) : decideAtOnce(call));
  }

  /** Decides on this thread, which may block. */
  RateLimitResult decideAndWait(Call call) {
    LimitCheck check = check(call);
    if (check == null) {
      return NOT_LIMITED;
    }
    try {
      return handler.handleAndWait(check);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException(location + ": interrupted while waiting for a refill");
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  private RateLimitResult decideAtOnce(Call call) {
    CompletableFuture<RateLimitResult> decision = decide(call).toCompletableFuture();
    if (!decision.isDone()) {
      decision.cancel(true);
      throw new IllegalStateException(
          location
              + ": the decision needs time, and this thread must not block: return an"
              + " asynchronous type, or let the method run on a thread that may block");
    }
    try {
      return decision.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  @Override
  public CompletionStage<RateLimitResult> decide(Call call) {
    LimitCheck check;
    try {
      check = check(call);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return check == null ? CompletableFuture.completedFuture(NOT_LIMITED) : handler.handle(check);
  }

  /** Returns what to check, or null if no limit applies. */
  private @Nullable LimitCheck check(Call call) {
    if (!declared) {
      declare.run();
      declared = true;
    }
    try {
      List<CallLimit> applying = limits.length == 1 ? onlyLimit(call) : allLimits(call);
      if (applying.isEmpty()) {
        return null;
      }
      return LimitCheck.ofLimits(applying, needsRequest ? call.request() : RequestContext.EMPTY);
    } catch (RuntimeException e) {
      throw new IllegalStateException("@RateLimit of " + location + ": " + e.getMessage(), e);
    }
  }

  private List<CallLimit> onlyLimit(Call call) {
    if (!limits[0].appliesTo(call)) {
      return List.of();
    }
    CallLimit single = limits[0].single(call);
    return single == null ? allLimits(call) : List.of(single);
  }

  private List<CallLimit> allLimits(Call call) {
    List<CallLimit> applying = new ArrayList<>(limits.length);
    for (PlannedLimit limit : limits) {
      if (limit.appliesTo(call)) {
        limit.addTo(applying, call);
      }
    }
    return applying;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the constant alone stands for a call without limits
  public @Nullable Object complete(Call call, RateLimitResult result) throws Throwable {
    if (result == NOT_LIMITED) {
      return call.proceed();
    }
    boolean denied = !result.allowed();
    call.decided(result, denied && fallback != null);
    if (!denied) {
      return call.proceed();
    }
    RateLimitExceededException denial = new RateLimitExceededException(result);
    if (fallback == null) {
      throw denial;
    }
    return fallback.invoke(call, denial);
  }
}
