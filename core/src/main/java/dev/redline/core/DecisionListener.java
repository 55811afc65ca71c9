package dev.redline.core;

import dev.redline.core.rule.RateLimitRule;
import java.util.List;

/**
 * Is told of every decision that counts; dry runs are not told.
 *
 * <p>Called by many threads at once. A listener that throws is logged and changes no decision.
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
  void decided(Question question, RateLimitResult result, List<RateLimitRule> rules);
}
