package dev.redline.core.rule;

/** What happens to a caller whose limit is exceeded. */
public enum OnLimitExceed {
  /** The request is denied at once. */
  REJECT,
  /** The caller waits until tokens refill, within the bounds of {@code rl.wait-for-refill}. */
  WAIT_FOR_REFILL
}
