package dev.redline.core.rule;

/** What a matching rule does. */
public enum Action {
  /** Takes from the rule's bands. */
  LIMIT,
  /** Passes; rules after it are not considered. */
  ALLOW,
  /** Refuses. */
  DENY
}
