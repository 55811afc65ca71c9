package dev.redline.core.rule;

/** What a matching rule does. */
public enum Action {
  /** Acquires from the bands of the rule. */
  LIMIT,
  /** Allows the request; rules after it are not considered. */
  ALLOW,
  /** Denies the request. */
  DENY
}
