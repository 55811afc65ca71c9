package dev.redline.core;

import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.rule.RateLimitRule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

  /**
   * The event that a caller was denied because of a limit, for logs and sinks. It contains a digest
   * of the caller's identity, never the identity itself.
   *
   * @param at when the event was created, shortly after the decision
   * @param reason why the request was denied
   * @param ruleSetId the rule set, unless plans were checked
   * @param ruleId the rule, unless plans were checked
   * @param plan the plan, if plans were checked
   * @param band the label of the band with the longest wait
   * @param identityDigest a digest of the identity that is counted
   * @param path the path of the request, if it has one
   * @param retryAfterMs the time to wait before a retry, in milliseconds
   * @param degraded whether a fallback decided instead of the configured store
   */
  record LimitExceeded(
      Instant at,
      Reason reason,
      Optional<String> ruleSetId,
      Optional<String> ruleId,
      Optional<String> plan,
      Optional<String> band,
      Optional<String> identityDigest,
      Optional<String> path,
      OptionalLong retryAfterMs,
      boolean degraded) {

    private static LimitExceeded of(LimitCheck check, RateLimitResult result, ApiKeyDigest digest) {
      return new LimitExceeded(
          Instant.now(),
          result.reason(),
          result.ruleSetId(),
          result.ruleId(),
          result.plan(),
          result.band(),
          result.identityDigest(digest),
          path(check),
          result.retryAfterMs(),
          result.degraded());
    }

    private static Optional<String> path(LimitCheck check) {
      if (check instanceof LimitCheck.OfRequest ofRequest) {
        return ofRequest.request().path();
      }
      return check instanceof LimitCheck.OfLimits ofLimits
          ? ofLimits.request().path()
          : Optional.empty();
    }

    /** Converts decisions to events. */
    static final class Listener implements DecisionListener {
      private final Consumer<LimitExceeded> sink;
      private final ApiKeyDigest digest;

      Listener(Consumer<LimitExceeded> sink, ApiKeyDigest digest) {
        this.sink = sink;
        this.digest = digest;
      }

      @Override
      public boolean wants(RateLimitResult result) {
        return switch (result.reason()) {
          case LIMIT_EXCEEDED, COST_EXCEEDS_CAPACITY, WAIT_TIMEOUT -> true;
          default -> false;
        };
      }

      @Override
      public void decided(LimitCheck check, RateLimitResult result, List<RateLimitRule> rules) {
        sink.accept(of(check, result, digest));
      }
    }
  }
}
