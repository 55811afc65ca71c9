package dev.redline.core;

import java.time.Duration;

/**
 * Whether, how long and how many callers may wait for a refill.
 *
 * @param enabled whether rules with {@code WAIT_FOR_REFILL} let callers wait; otherwise they deny
 *     at once. A {@link KeyedLimiter} waits if its caller says so, enabled or not
 * @param maxWaitTime how long a rule lets a caller wait
 * @param maxConcurrentWaits how many callers wait at once; others are denied at once
 */
public record WaitSettings(boolean enabled, Duration maxWaitTime, int maxConcurrentWaits) {
  /** The defaults: a caller of a rule with WAIT_FOR_REFILL is denied at once. */
  public static final WaitSettings DISABLED = new WaitSettings(false, Duration.ofSeconds(5), 100);

  /** Checks that time and number are not negative. */
  public WaitSettings {
    if (maxWaitTime.isNegative()) {
      throw new IllegalArgumentException("maxWaitTime must not be negative, was " + maxWaitTime);
    }
    if (maxConcurrentWaits < 0) {
      throw new IllegalArgumentException(
          "maxConcurrentWaits must not be negative, was " + maxConcurrentWaits);
    }
  }
}
