package dev.redline.rules.documents.loading;

import java.util.List;

/** The rules that must be there at the start are not, or are wrong; says all that is wrong. */
public final class InvalidRulesException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> errors;

  InvalidRulesException(List<String> errors) {
    super(String.join(System.lineSeparator(), errors));
    this.errors = List.copyOf(errors);
  }

  /** Returns what is wrong, one line each, as {@code file:line: rule …: message}. */
  public List<String> errors() {
    return errors;
  }
}
