package dev.redline.core;

import dev.redline.core.internal.key.ApiKeyDigest;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.function.Consumer;

/**
 * Is told of every decision that counts; dry runs are not told.
 *
 * <p>Called by one thread of its own, in order, after the decision was given: a listener that
 * throws or blocks changes no decision and delays none. What it is too slow for is lost, and
 * counted as {@code ratelimit.events.dropped}.
 */
@FunctionalInterface
public interface DecisionListener {
  /**
   * Hears of a decision.
   *
   * @param question what was asked
   * @param result what was decided
   * @param rules the rules that applied, in order of evaluation, with their metadata
   */
  void decided(LimitCheck question, RateLimitResult result, List<RateLimitRule> rules);

  /**
   * Returns whether the listener cares for such a result; asked by whoever decides, so it must be
   * quick. What it does not care for takes no place in its queue.
   */
  default boolean wants(RateLimitResult result) {
    return true;
  }

  /** Returns a listener that hands refusals of callers over their limit to a sink. */
  static DecisionListener ofExceeded(Consumer<LimitExceeded> sink) {
    return ofExceeded(sink, ApiKeyDigest.ofProcess());
  }

  /**
   * Returns such a listener whose events have digests of identities under a secret of one's own,
   * the same on all nodes.
   */
  static DecisionListener ofExceeded(Consumer<LimitExceeded> sink, ApiKeyDigest digest) {
    return new LimitExceeded.Listener(sink, digest);
  }
}
