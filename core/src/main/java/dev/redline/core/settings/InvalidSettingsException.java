package dev.redline.core.settings;

import java.util.List;

/** Thrown for properties that are unknown or have a wrong value. */
public final class InvalidSettingsException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  /** Creates the exception; one line per problem. */
  public InvalidSettingsException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** Returns one line per wrong property: its name, its value and what is allowed. */
  public List<String> problems() {
    return problems;
  }
}
