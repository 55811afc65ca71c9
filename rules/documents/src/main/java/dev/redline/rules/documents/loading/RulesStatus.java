package dev.redline.rules.documents.loading;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The version of the rules in force, and the errors of the last load.
 *
 * @param version their version; 0 if there are none
 * @param loadedAt when they came into force
 * @param errors the errors of the last load; empty if it succeeded
 */
public record RulesStatus(long version, Optional<Instant> loadedAt, List<String> errors) {
  /** Nothing was loaded yet. */
  public static final RulesStatus NONE = new RulesStatus(0, Optional.empty(), List.of());

  /** Copies the list. */
  public RulesStatus {
    errors = List.copyOf(errors);
  }

  /** Returns whether rules are in force. */
  public boolean loaded() {
    return loadedAt.isPresent();
  }
}
