package dev.redline.core.rule;

/** Whether a rule can deny requests. */
public enum Mode {
  /** The rule can deny requests. */
  ENFORCE,
  /** A denial of the rule is counted and reported, but the request is not denied. */
  SHADOW
}
