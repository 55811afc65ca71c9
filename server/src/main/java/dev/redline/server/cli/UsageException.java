package dev.redline.server.cli;

/** Thrown when a command is called with wrong arguments; the message names the problem. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
