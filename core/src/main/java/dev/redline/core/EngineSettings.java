package dev.redline.core;

import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How an engine decides where rules are silent.
 *
 * @param shadow whether every rule is a shadow rule, whatever it says
 * @param defaultRuleSetId the rule set of questions that name none; absent: all rules as one list
 * @param missingRules what happens without rules to decide by
 * @param onStoreFailure what decides when the store cannot and a rule does not say
 * @param localShare which part of each limit this node grants by itself then, above 0 and up to 1
 * @param onLimitExceed what happens over a limit whose rule does not say
 * @param waiting whether, how long and how many callers may wait for a refill
 */
public record EngineSettings(
    boolean shadow,
    Optional<String> defaultRuleSetId,
    MissingRules missingRules,
    OnStoreFailure onStoreFailure,
    double localShare,
    OnLimitExceed onLimitExceed,
    Waiting waiting) {
  /** What happens when no rules were ever loaded, or the default rule set does not exist. */
  public enum MissingRules {
    /** Requests pass. */
    ALLOW,
    /** Requests are refused. */
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

  /** The settings of a fresh installation. */
  public static final EngineSettings DEFAULT =
      new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, 1.0);

  /** Creates settings under which callers do not wait. */
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

  /** Returns these settings with other ones for callers over a limit. */
  public EngineSettings withWaiting(OnLimitExceed unlessSaid, Waiting value) {
    return new EngineSettings(
        shadow, defaultRuleSetId, missingRules, onStoreFailure, localShare, unlessSaid, value);
  }

  /** Refuses null. */
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
