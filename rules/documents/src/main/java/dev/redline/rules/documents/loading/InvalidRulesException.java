package dev.redline.rules.documents.loading;

import java.util.List;

/** Rules that are required at the start are missing or invalid; the message lists all errors. */
public final class InvalidRulesException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> errors;

  /** Creates the exception; one line per error. */
  public InvalidRulesException(List<String> errors) {
    super(String.join(System.lineSeparator(), errors));
    this.errors = List.copyOf(errors);
  }

  /** Returns the errors, one line each, as {@code file:line: rule …: message}. */
  public List<String> errors() {
    return errors;
  }
}
