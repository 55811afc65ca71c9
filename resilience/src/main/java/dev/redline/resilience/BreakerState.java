package dev.redline.resilience;

/** Whether a store is asked. */
public enum BreakerState {
  /** It is. */
  CLOSED,
  /** A few acquisitions find out whether it answers again; the others are not sent. */
  HALF_OPEN,
  /** It is left alone. */
  OPEN
}
