package dev.redline.core;

/** Thrown where a call, not a request, is limited: the annotated method did not run. */
public final class RateLimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient RateLimitResult result;

  /** Creates the exception for a refusal. */
  public RateLimitExceededException(RateLimitResult result) {
    super("rate limit exceeded: " + result);
    this.result = result;
  }

  /** Returns the refusal, which tells when to come back. */
  public RateLimitResult result() {
    return result;
  }
}
