package dev.redline.bench;

/** Thrown when the command line is wrong, or the machine lacks something a benchmark needs. */
public final class BenchUsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says how to fix the problem. */
  public BenchUsageException(String message) {
    super(message);
  }
}
