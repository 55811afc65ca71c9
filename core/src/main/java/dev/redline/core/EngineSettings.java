package dev.redline.core;

import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The defaults by which an engine decides where a rule sets nothing.
 *
 * @param shadow whether every rule is a shadow rule, regardless of its mode
 * @param defaultRuleSetId the rule set of checks that name none; if absent, all rules as one list
 * @param missingRules whether requests are allowed if there are no rules
 * @param onStoreFailure the failure strategy of rules that set none
 * @param localShare the share of each limit that the local fallback grants, above 0 and up to 1
 * @param onLimitExceed the policy for exceeded limits of rules that set none
 * @param waiting whether callers may wait for a refill, how long, and how many of them
 */
public record EngineSettings(
    boolean shadow,
    Optional<String> defaultRuleSetId,
    MissingRules missingRules,
    OnStoreFailure onStoreFailure,
    double localShare,
    OnLimitExceed onLimitExceed,
    Waiting waiting) {
  /** The decision if no rules were loaded yet, or the default rule set does not exist. */
  public enum MissingRules {
    /** Requests are allowed. */
    ALLOW,
    /** Requests are denied. */
    REJECT
  }

  /**
   * Whether, how long and how many callers may wait for a refill.
   *
   * @param enabled whether rules with {@code WAIT_FOR_REFILL} let callers wait; otherwise they deny
   *     at once. A {@link KeyedLimiter} waits if its caller says so, enabled or not
   * @param maxWaitTime how long a rule lets a caller wait
   * @param maxConcurrentWaits how many callers wait at once; others are denied at once
   */
  public record Waiting(boolean enabled, Duration maxWaitTime, int maxConcurrentWaits) {
    /** The defaults: a caller of a rule with WAIT_FOR_REFILL is denied at once. */
    public static final Waiting DISABLED = new Waiting(false, Duration.ofSeconds(5), 100);

    /** Checks that time and number are not negative. */
    public Waiting {
      if (maxWaitTime.isNegative()) {
        throw new IllegalArgumentException("maxWaitTime must not be negative, was " + maxWaitTime);
      }
      if (maxConcurrentWaits < 0) {
        throw new IllegalArgumentException(
            "maxConcurrentWaits must not be negative, was " + maxConcurrentWaits);
      }
    }
  }

  /** The default settings. */
  public static final EngineSettings DEFAULT =
      new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, 1.0);

  /** Creates settings with which callers never wait. */
  public EngineSettings(
      boolean shadow,
      Optional<String> defaultRuleSetId,
      MissingRules missingRules,
      OnStoreFailure onStoreFailure,
      double localShare) {
    this(
        shadow,
        defaultRuleSetId,
        missingRules,
        onStoreFailure,
        localShare,
        OnLimitExceed.REJECT,
        Waiting.DISABLED);
  }

  /** Returns a copy with another policy for exceeded limits and other settings for waiting. */
  public EngineSettings withWaiting(OnLimitExceed unlessSaid, Waiting value) {
    return new EngineSettings(
        shadow, defaultRuleSetId, missingRules, onStoreFailure, localShare, unlessSaid, value);
  }

  /** Rejects null, and a local share out of range. */
  public EngineSettings {
    Objects.requireNonNull(defaultRuleSetId, "defaultRuleSetId");
    Objects.requireNonNull(missingRules, "missingRules");
    Objects.requireNonNull(onStoreFailure, "onStoreFailure");
    Objects.requireNonNull(onLimitExceed, "onLimitExceed");
    Objects.requireNonNull(waiting, "waiting");
    if (!(localShare > 0 && localShare <= 1)) {
      throw new IllegalArgumentException(
          "localShare must be above 0 and up to 1, was " + localShare);
    }
  }
}
