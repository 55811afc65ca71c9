package dev.redline.core.limit;

/** When the tokens of a token bucket come back. */
public enum Refill {
  /** Evenly over the period, with no remainder lost. */
  CONTINUOUS,
  /** All at once, at the end of each whole period since the bucket last left full. */
  INTERVAL
}
