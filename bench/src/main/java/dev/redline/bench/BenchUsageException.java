package dev.redline.bench;

/** Says that the command line, or the machine, is not what a benchmark needs. */
public final class BenchUsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates it with a message that names the way out. */
  public BenchUsageException(String message) {
    super(message);
  }
}
