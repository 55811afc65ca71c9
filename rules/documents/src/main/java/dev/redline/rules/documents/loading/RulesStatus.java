package dev.redline.rules.documents.loading;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Which rules are in force.
 *
 * @param version their version; 0 if there are none
 * @param loadedAt when they came into force
 * @param errors what was wrong with the last load; empty if it was good
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
