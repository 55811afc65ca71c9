package dev.redline.binding;

import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods that return a {@code CompletionStage} or {@code CompletableFuture}. A denial is a
 * failed stage. If the thread may block, a decision that needs I/O is made on it, so that the
 * method runs on the thread of its caller; waiting for a refill never blocks.
 */
final class StageAdapter implements ReturnAdapter {
  @Override
  public boolean accepts(Class<?> returnType) {
    return returnType == CompletionStage.class || returnType == CompletableFuture.class;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the future is the result of the method
  public @Nullable Object adapt(CallPlan plan, Call call) throws Throwable {
    CompletableFuture<RateLimitResult> decision;
    if (call.mayBlock() && plan instanceof MethodPlan own && !own.mayWait()) {
      try {
        decision = CompletableFuture.completedFuture(own.decideAndWait(call));
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    } else {
      decision = plan.decide(call).toCompletableFuture();
    }
    if (!decision.isDone()) {
      return new Pending(plan, call, decision).start();
    }
    RateLimitResult result;
    try {
      result = decision.join();
    } catch (CompletionException e) {
      return CompletableFuture.failedFuture(cause(e));
    }
    try {
      return plan.complete(call, result);
    } catch (RateLimitExceededException denial) {
      // Also one that the method itself threw: it is a failure of the method either way.
      return CompletableFuture.failedFuture(denial);
    }
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** A call whose decision is under way. Cancelling it ends the wait, or the method's own stage. */
  private static final class Pending extends CompletableFuture<@Nullable Object> {
    private final CallPlan plan;
    private final Call call;
    private final CompletableFuture<RateLimitResult> decision;
    private volatile @Nullable CompletableFuture<?> ofMethod;

    Pending(CallPlan plan, Call call, CompletableFuture<RateLimitResult> decision) {
      this.plan = plan;
      this.call = call;
      this.decision = decision;
    }

    Pending start() {
      CompletableFuture<RateLimitResult> unused =
          decision.whenComplete((result, failure) -> resume(result, failure));
      return this;
    }

    private void resume(@Nullable RateLimitResult result, @Nullable Throwable failure) {
      if (result == null) {
        completeExceptionally(
            failure == null
                ? new NullPointerException("the handler gave no result")
                : cause(failure));
        return;
      }
      try {
        call.resumeOn().execute(() -> run(result));
      } catch (RejectedExecutionException e) {
        completeExceptionally(e);
      }
    }

    private void run(RateLimitResult result) {
      if (isDone()) {
        return;
      }
      try {
        CompletionStage<?> stage = (CompletionStage<?>) plan.complete(call, result);
        if (stage == null) {
          complete(null);
          return;
        }
        ofMethod = stage.toCompletableFuture();
        CompletionStage<?> unused =
            stage.whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    complete(value);
                  } else {
                    completeExceptionally(cause(failure));
                  }
                });
        cancelMethodIfCancelled();
      } catch (Throwable e) {
        completeExceptionally(e);
      }
    }

    private void cancelMethodIfCancelled() {
      CompletableFuture<?> running = ofMethod;
      if (isCancelled() && running != null) {
        running.cancel(true);
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      if (cancelled) {
        decision.cancel(mayInterruptIfRunning);
        cancelMethodIfCancelled();
      }
      return cancelled;
    }
  }
}
