package dev.redline.core;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Decides checks elsewhere, by rules of its own: a Redline server. An engine {@linkplain
 * RateLimitEngine.Builder#decisionPoint with one} has it decide every check; while it fails, the
 * rules in force in the engine decide, by their failure strategies. Thread-safe.
 */
public interface DecisionPoint {
  /** Returns the name of what is called, which a circuit breaker and people know it by. */
  String node();

  /**
   * Decides a check. Never throws and never blocks. Continuations of the stage do not run on I/O
   * threads.
   *
   * <p>The stage fails with a {@link dev.redline.core.store.StoreException} if there is no
   * decision, with an {@link UnknownNameException} if a rule, plan or rule set does not exist
   * there, and with an {@link IllegalArgumentException} if the check cannot be decided there.
   *
   * @param dryRun whether to decide without acquiring
   */
  CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun);

  /** Is {@link #decide}, and blocks the calling thread, which may be virtual. */
  default RateLimitResult decideAndWait(LimitCheck check, boolean dryRun) {
    try {
      return decide(check, dryRun).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /**
   * Returns why checks would be rejected, so that a start can report it before the first call.
   * Acquires nothing. Blocks, and for longer than a decision may take, since the first call of a
   * process is slow.
   *
   * @return for each check the reason; empty if it would be decided, or if that is not known
   *     because there was no response
   */
  default List<Optional<String>> rejections(List<LimitCheck> checks) {
    return checks.stream().map(check -> Optional.<String>empty()).toList();
  }
}
