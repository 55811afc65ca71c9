package dev.redline.core;

import java.util.concurrent.CompletionStage;

/** How a framework adapter reaches a decision: the embedded engine, or a remote server. */
@FunctionalInterface
public interface RateLimitHandler {
  /**
   * Decides. The stage is complete already where no I/O was needed; it fails with an {@link
   * IllegalArgumentException} for a question that has no answer, such as an unknown name.
   */
  CompletionStage<RateLimitResult> handle(LimitCheck question);
}
