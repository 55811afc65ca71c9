package dev.redline.core;

import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.function.Consumer;

/**
 * Is notified of every decision except dry runs.
 *
 * <p>Each listener is called by its own thread, in order, after the result was returned to the
 * caller: a listener that throws or blocks neither changes nor delays a decision. If it is too slow
 * and its queue is full, further events are dropped and counted as {@code
 * ratelimit.events.dropped}.
 */
@FunctionalInterface
public interface DecisionListener {
  /**
   * Receives a decision.
   *
   * @param check the check
   * @param result its result
   * @param rules the rules that applied, in order of evaluation, with their metadata
   */
  void decided(LimitCheck check, RateLimitResult result, List<RateLimitRule> rules);

  /**
   * Returns whether the listener wants this result. Called on the thread that decides, so it must
   * not block. Results that it does not want are not queued.
   */
  default boolean wants(RateLimitResult result) {
    return true;
  }

  /** Returns a listener that passes denials of callers over their limit to a sink. */
  static DecisionListener ofExceeded(Consumer<LimitExceeded> sink) {
    return ofExceeded(sink, ApiKeyDigest.ofProcess());
  }

  /**
   * Returns such a listener whose events contain digests of identities under a configured secret,
   * so that they are the same on all nodes.
   */
  static DecisionListener ofExceeded(Consumer<LimitExceeded> sink, ApiKeyDigest digest) {
    return new LimitExceeded.Listener(sink, digest);
  }
}
