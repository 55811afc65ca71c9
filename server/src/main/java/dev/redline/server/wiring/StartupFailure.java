package dev.redline.server.wiring;

import java.util.List;

/** Says why the service cannot start, one line per reason, for whoever started it. */
public final class StartupFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> lines;

  StartupFailure(List<String> lines, Throwable cause) {
    super(String.join(System.lineSeparator(), lines), cause);
    this.lines = List.copyOf(lines);
  }

  StartupFailure(List<String> lines) {
    super(String.join(System.lineSeparator(), lines));
    this.lines = List.copyOf(lines);
  }

  /** Returns the reasons. */
  public List<String> lines() {
    return lines;
  }

  /** Returns the failure that another one was caused by, or throws the other one. */
  static StartupFailure in(RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartupFailure told) {
        return told;
      }
    }
    throw failure;
  }
}
