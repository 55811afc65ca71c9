package dev.redline.binding;

import org.jspecify.annotations.Nullable;

/**
 * Runs methods that return a type of an asynchronous library, such as {@code Mono} or {@code Uni}.
 * {@code CompletionStage} and {@code CompletableFuture} need none.
 */
public interface ReturnAdapter {
  /** Returns whether methods with this return type are run by this adapter. */
  boolean accepts(Class<?> returnType);

  /**
   * Returns a value of the method's type that decides with {@link CallPlan#decide} and then runs
   * the method with {@link CallPlan#complete}, for each subscription if the type has them. It
   * cancels the future of the decision if the subscriber cancels, and fails with what either of
   * them throws.
   *
   * @param call the call; the adapter may wrap it, to take the request from the subscriber
   */
  @Nullable Object adapt(CallPlan plan, Call call) throws Throwable;
}
