package dev.redline.core;

import dev.redline.core.internal.key.ApiKeyDigest;
import dev.redline.core.rule.RateLimitRule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The event that a caller was refused for being over a limit, for logs and sinks. It never names
 * the caller: only a digest does.
 *
 * @param at when the event was made, shortly after the decision
 * @param reason why it was refused
 * @param ruleSetId the rule set, unless plans were asked for
 * @param ruleId the rule, unless plans were asked for
 * @param plan the plan, if plans were asked for
 * @param band the label of the band with the longest wait
 * @param identityDigest a digest of whoever is counted
 * @param path the path that was asked for, if any
 * @param retryAfterMs how long to wait, in milliseconds
 * @param degraded whether another store than the configured one decided
 */
public record LimitExceeded(
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

  private static LimitExceeded of(
      LimitCheck question, RateLimitResult result, ApiKeyDigest digest) {
    return new LimitExceeded(
        Instant.now(),
        result.reason(),
        result.ruleSetId(),
        result.ruleId(),
        result.plan(),
        result.band(),
        result.identityDigest(digest),
        question instanceof LimitCheck.OfRequest asked
            ? Optional.ofNullable(asked.request().pathOrNull())
            : Optional.empty(),
        result.retryAfterMs(),
        result.degraded());
  }

  /** Makes events of decisions. */
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
    public void decided(LimitCheck question, RateLimitResult result, List<RateLimitRule> rules) {
      sink.accept(of(question, result, digest));
    }
  }
}
