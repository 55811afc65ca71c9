package dev.redline.quarkus;

import dev.redline.binding.Call;
import dev.redline.binding.CallPlan;
import dev.redline.binding.ReturnAdapter;
import dev.redline.core.RateLimitResult;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Runs methods that return a {@code Uni} or {@code Multi}. Each subscription is decided: on the
 * thread of the subscriber if it may block; else asynchronously, and the method then runs on the
 * subscriber's Vert.x context, which a reply of a remote store does not arrive on.
 */
final class MutinyAdapter implements ReturnAdapter {
  private final boolean multi;

  private MutinyAdapter(boolean multi) {
    this.multi = multi;
  }

  /** Returns the adapter of methods that return a {@code Uni}. */
  static MutinyAdapter ofUni() {
    return new MutinyAdapter(false);
  }

  /** Returns the adapter of methods that return a {@code Multi}. */
  static MutinyAdapter ofMulti() {
    return new MutinyAdapter(true);
  }

  @Override
  public boolean accepts(Class<?> returnType) {
    return returnType == (multi ? Multi.class : Uni.class);
  }

  @Override
  public Object adapt(CallPlan plan, Call call) {
    return multi
        ? Multi.createFrom()
            .deferred(
                () -> decide(plan, call).onItem().transformToMulti(r -> runMulti(plan, call, r)))
        : Uni.createFrom()
            .deferred(() -> decide(plan, call).onItem().transformToUni(r -> runUni(plan, call, r)));
  }

  private static Uni<RateLimitResult> decide(CallPlan plan, Call call) {
    CallerContext caller = CallerContext.current();
    CompletableFuture<RateLimitResult> decision = plan.decide(call).toCompletableFuture();
    if (decision.isDone() || caller.mayBlock()) {
      return finished(plan, decision);
    }
    return Uni.createFrom().completionStage(decision).emitOn(caller);
  }

  private static Uni<RateLimitResult> finished(
      CallPlan plan, CompletableFuture<RateLimitResult> decision) {
    try {
      return Uni.createFrom().item(decision.get());
    } catch (ExecutionException e) {
      return Uni.createFrom().failure(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      decision.cancel(true);
      return Uni.createFrom()
          .failure(new CancellationException(plan.location() + ": interrupted while waiting"));
    }
  }

  /** Runs the method or its fallback; what they throw becomes the failure. */
  private static Uni<?> runUni(CallPlan plan, Call call, RateLimitResult result) {
    try {
      Uni<?> uni = (Uni<?>) plan.complete(call, result);
      return uni == null ? Uni.createFrom().nullItem() : uni;
    } catch (Throwable failure) {
      return Uni.createFrom().failure(failure);
    }
  }

  private static Multi<?> runMulti(CallPlan plan, Call call, RateLimitResult result) {
    try {
      Multi<?> several = (Multi<?>) plan.complete(call, result);
      return several == null ? Multi.createFrom().empty() : several;
    } catch (Throwable failure) {
      return Multi.createFrom().failure(failure);
    }
  }
}
