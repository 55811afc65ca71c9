package dev.redline.core.rule;

/** What happens when a request lacks what its rule is keyed by. */
public enum OnMissingIdentity {
  /** The client address stands in for the missing part; without one the request is refused. */
  USE_IP,
  /** The rule does not apply. */
  SKIP,
  /** The request is refused. */
  REJECT
}
