package dev.redline.core;

/**
 * Thrown if a call is denied: the limited method did not run. It has no stack trace, because
 * denials may be frequent and are no errors of the program.
 */
public final class RateLimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient RateLimitResult result;

  /** Creates the exception for a denial. */
  public RateLimitExceededException(RateLimitResult result) {
    super(null, null, true, false);
    this.result = result;
  }

  @Override
  public String getMessage() {
    return "rate limit exceeded: " + result;
  }

  /** Returns the denial, which says when to try again. */
  public RateLimitResult result() {
    return result;
  }
}
