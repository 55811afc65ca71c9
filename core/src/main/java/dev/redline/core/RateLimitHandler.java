package dev.redline.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * How a framework adapter gets a decision: from the embedded engine, from a remote server, or from
 * the application's own implementation. Thread-safe.
 */
@FunctionalInterface
public interface RateLimitHandler {
  /**
   * Decides, and lets a caller wait whose limits say {@code WAIT_FOR_REFILL}, without blocking the
   * calling thread. The stage is complete already where neither I/O nor waiting was needed.
   *
   * <p>Cancelling the stage's future ends the wait and frees its permit, for a client that
   * disconnects. The stage fails with an {@link IllegalArgumentException} for a check that cannot
   * be decided, such as one of an unknown name.
   */
  CompletionStage<RateLimitResult> handle(LimitCheck check);

  /**
   * Is {@link #handle}, and blocks the calling thread, which may be virtual, until there is a
   * result.
   *
   * @throws InterruptedException if the thread is interrupted while it waits; the wait has ended
   * @throws IllegalArgumentException if the check cannot be decided
   */
  default RateLimitResult handleAndWait(LimitCheck check) throws InterruptedException {
    CompletableFuture<RateLimitResult> future = handle(check).toCompletableFuture();
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException("the check failed", e.getCause());
    }
  }
}
