package dev.redline.resilience;

/** The state of a circuit breaker. */
public enum BreakerState {
  /** All acquisitions are sent to the store. */
  CLOSED,
  /** A few acquisitions are sent as probes; the others fail at once. */
  HALF_OPEN,
  /** No acquisition is sent: all fail at once. */
  OPEN
}
