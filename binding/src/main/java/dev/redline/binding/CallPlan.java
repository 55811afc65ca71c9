package dev.redline.binding;

import dev.redline.core.RateLimitResult;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What happens when a limited method is called; resolved once, immutable, thread-safe. */
public interface CallPlan {
  /** Returns the class and method for messages: {@code com.example.Orders.pay(Order)}. */
  String location();

  /** Returns whether the plan calls {@link Call#request}. */
  boolean needsRequest();

  /** Returns whether a return adapter runs the call, so that no thread blocks. */
  boolean isAsynchronous();

  /**
   * Runs a call: decides, then runs the method, or its fallback if the call is denied.
   *
   * <p>The method runs at most once, and its exceptions pass unchanged. An asynchronous method
   * returns a denial as its failure.
   *
   * @return the result of the method or of its fallback
   * @throws dev.redline.core.RateLimitExceededException if the call is denied and there is no
   *     fallback
   * @throws IllegalStateException if an expression fails; or if the method returns a plain value,
   *     the thread must not block, and the decision is not there at once
   * @throws java.util.concurrent.CancellationException if the thread is interrupted while it waits;
   *     its interrupt status is set again
   */
  @Nullable Object invoke(Call call) throws Throwable;

  /**
   * Decides a call without blocking; for return adapters. The stage fails if the check does.
   * Cancelling its future ends the wait for a refill.
   */
  CompletionStage<RateLimitResult> decide(Call call);

  /**
   * Runs the method of a call that was {@linkplain #decide decided}, or its fallback; for return
   * adapters. Notifies the call of the decision first.
   *
   * @throws dev.redline.core.RateLimitExceededException if the call is denied and there is no
   *     fallback
   */
  @Nullable Object complete(Call call, RateLimitResult result) throws Throwable;
}
