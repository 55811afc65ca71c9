package dev.redline.rules.documents.loading;

import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/** Writes the first revision of a source that is empty. */
final class SeedWriter {
  private static final Logger LOG = System.getLogger(SeedWriter.class.getName());
  private static final String BY = "start";

  private SeedWriter() {}

  /** Returns whether the source holds a revision now, written by this call or by another server. */
  static boolean write(
      RuleRepository repository, RuleDocument document, String origin, Clock clock) {
    Instant now = clock.instant();
    try {
      boolean written =
          repository.write(
              0,
              new Revision(
                  Math.max(1, document.version()),
                  RuleDocumentWriter.toJson(document),
                  now,
                  BY,
                  "starting document " + origin),
              new AuditEntry(
                  now, BY, "create", Optional.empty(), Optional.empty(), Optional.empty()));
      if (written) {
        LOG.log(Level.INFO, "{0} was empty and holds {1} now", repository.name(), origin);
      }
      return true;
    } catch (IOException e) {
      LOG.log(Level.WARNING, repository.name() + ": not written yet: " + e.getMessage());
      return false;
    }
  }
}
