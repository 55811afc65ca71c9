package dev.redline.server.cli;

/** Says that a command was called in a way it does not understand. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
