package dev.redline.rules.documents.internal.syntax;

import java.util.Optional;

/** A text that cannot be read, with what was probably meant. */
public final class MisspeltException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient Optional<String> suggestion;

  MisspeltException(String message, Optional<String> suggestion) {
    super(message);
    this.suggestion = suggestion;
  }

  public Optional<String> suggestion() {
    return suggestion;
  }
}
