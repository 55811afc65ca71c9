package dev.redline.core.rule;

/** What happens if a request lacks a field of the key of a rule. */
public enum OnMissingIdentity {
  /** The client address replaces the missing part; without an address the request is denied. */
  USE_IP,
  /** The rule does not apply. */
  SKIP,
  /** The request is denied. */
  REJECT
}
