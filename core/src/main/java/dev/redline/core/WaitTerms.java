package dev.redline.core;

import dev.redline.core.rule.OnLimitExceed;
import java.time.Duration;
import java.util.Objects;

/**
 * On which terms a caller waits.
 *
 * @param byDefault what happens to a caller over a limit whose rule does not say
 * @param enabled whether it may wait at all
 * @param atMost how long
 */
record WaitTerms(OnLimitExceed byDefault, boolean enabled, Duration atMost) {
  /** The longest wait: 73 years, so that forecasts stay exact and times do not overflow. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

  /** Returns the terms of rules. */
  static WaitTerms of(EngineSettings settings) {
    return new WaitTerms(
        settings.onLimitExceed(), settings.waiting().enabled(), settings.waiting().maxWaitTime());
  }

  /** Returns the terms of a caller who says itself how long it waits. */
  static WaitTerms atMost(Duration time) {
    return new WaitTerms(
        OnLimitExceed.WAIT_FOR_REFILL, true, Objects.requireNonNull(time, "atMost"));
  }

  /** Returns how long the caller may wait, in nanoseconds. */
  long atMostNanos() {
    if (atMost.isNegative()) {
      return 0;
    }
    return atMost.compareTo(LONGEST) < 0 ? atMost.toNanos() : LONGEST.toNanos();
  }
}
