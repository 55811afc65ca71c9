package dev.redline.core.store;

/** Says that a store could not decide, and of which kind the failure was. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure, which metrics count separately. */
  public enum Kind {
    /** The store did not respond, or responded with an error. */
    UNAVAILABLE,
    /** The response did not have the expected form. */
    BAD_RESPONSE,
    /** A kept value is not a state of the bucket. */
    BAD_STATE
  }

  private final Kind kind;

  /** Creates the failure. */
  public StoreException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Creates the failure without a cause. */
  public StoreException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Returns of which kind the failure was. */
  public Kind kind() {
    return kind;
  }
}
