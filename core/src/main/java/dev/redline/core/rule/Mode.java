package dev.redline.core.rule;

/** Whether a rule's verdict counts. */
public enum Mode {
  /** A refusal refuses. */
  ENFORCE,
  /** A refusal is counted and reported, and never refuses. */
  SHADOW
}
