package dev.redline.core;

import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The small facade applications call. Thread-safe.
 *
 * <p>The plain methods wait for a store that does I/O, for at most its time-out; the async ones
 * never wait.
 */
public interface RateLimiter {
  /**
   * Takes tokens from the key's bucket of each plan, or from none.
   *
   * @throws UnknownNameException if a plan does not exist
   */
  RateLimitResult allow(String key, List<String> planNames, int tokens);

  /** Takes one token from the key's bucket of one plan. */
  default RateLimitResult allow(String key, String planName) {
    return allow(key, List.of(planName), 1);
  }

  /** Is {@link #allow(String, List, int)} without waiting. */
  CompletionStage<RateLimitResult> allowAsync(String key, List<String> planNames, int tokens);

  /** Decides a request by the default rule set, or by all rules. */
  RateLimitResult check(RequestContext request);

  /**
   * Decides a request by one rule set.
   *
   * @throws UnknownNameException if the rule set does not exist
   */
  RateLimitResult check(String ruleSetId, RequestContext request);

  /** Is {@link #check(RequestContext)} without waiting. */
  CompletionStage<RateLimitResult> checkAsync(RequestContext request);

  /** Is {@link #check(String, RequestContext)} without waiting. */
  CompletionStage<RateLimitResult> checkAsync(String ruleSetId, RequestContext request);
}
