package dev.redline.core.rule;

/** What decides when the store cannot; constants are ordered from lenient to strict. */
public enum OnStoreFailure {
  /** Nothing: the request is allowed. */
  OPEN,
  /** The fallback store of this node. */
  LOCAL,
  /** Nothing: the request is denied. */
  CLOSED;

  /** Returns the stricter of the two. */
  public OnStoreFailure strictest(OnStoreFailure other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
