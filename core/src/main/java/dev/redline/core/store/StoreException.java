package dev.redline.core.store;

/** Says that a store could not decide, and of which kind the failure was. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure, as metrics tell them apart. */
  public enum Kind {
    /** The store did not answer, or answered with an error. */
    REDISERROR("rediserror"),
    /** The answer did not have the expected form. */
    BADRESPONSE("badresponse"),
    /** A kept value was not of the expected type. */
    BADTYPES("badtypes");

    private final String tag;

    Kind(String tag) {
      this.tag = tag;
    }

    /** Returns the value of the metric tag {@code reason}. */
    public String tag() {
      return tag;
    }
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
