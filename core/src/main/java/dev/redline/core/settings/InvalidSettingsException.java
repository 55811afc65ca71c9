package dev.redline.core.settings;

import java.util.List;

/** Says which properties are unknown or have a wrong value; one line each. */
public final class InvalidSettingsException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  InvalidSettingsException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** Returns one line per wrong property: its name, its value and what is allowed. */
  public List<String> problems() {
    return problems;
  }
}
