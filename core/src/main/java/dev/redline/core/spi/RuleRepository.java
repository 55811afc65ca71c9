package dev.redline.core.spi;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A source of rules that can be changed: one document, the revisions it went through, and who did
 * what. As a {@link ConfigProvider} it yields its newest revision.
 *
 * <p>Writers compare and set: of two that start from the same revision, one loses and looks again.
 * Thread-safe; never used on the request path. What is kept of the past is bounded.
 */
public interface RuleRepository extends ConfigProvider {
  /**
   * One revision of the document.
   *
   * @param version its number; each is higher than the one before
   * @param document the JSON text, byte for byte as it was written
   * @param at when it was written
   * @param by the name of its author
   * @param summary what changed, in a few words
   */
  record Revision(long version, String document, Instant at, String by, String summary) {}

  /**
   * A revision without its document, which may be large.
   *
   * @param version its number
   * @param at when it was written
   * @param by the name of its author
   * @param summary what changed, in a few words
   */
  record RevisionHeader(long version, Instant at, String by, String summary) {
    /** Returns the header of a revision. */
    public static RevisionHeader of(Revision revision) {
      return new RevisionHeader(
          revision.version(), revision.at(), revision.by(), revision.summary());
    }
  }

  /**
   * One line of the audit: an action of a user, also one that did not change the document.
   *
   * @param at when
   * @param by the name of the user
   * @param action what: {@code create}, {@code update}, {@code delete}, {@code restore}, {@code
   *     reset}, {@code reload}
   * @param ruleId the rule concerned, if it is one
   * @param ruleSetId the rule set concerned, or that of the rule, if there is one
   * @param version the revision that the action wrote; of {@code restore}, the one it restored
   * @param before the rule as JSON before, if there was one
   * @param after the rule as JSON after, if there is one
   */
  record AuditEntry(
      Instant at,
      String by,
      String action,
      Optional<String> ruleId,
      Optional<String> ruleSetId,
      Optional<Long> version,
      Optional<String> before,
      Optional<String> after) {
    /** Creates a line that concerns at most a rule. */
    public AuditEntry(
        Instant at,
        String by,
        String action,
        Optional<String> ruleId,
        Optional<String> before,
        Optional<String> after) {
      this(at, by, action, ruleId, Optional.empty(), Optional.empty(), before, after);
    }
  }

  /** Returns the newest revision, or nothing if none was ever written. */
  Optional<Revision> newest() throws IOException;

  /** Returns a revision by its number, or nothing if it is not kept (any more). */
  Optional<Revision> revision(long version) throws IOException;

  /** Returns the latest revisions, newest first. */
  List<Revision> revisions(int atMost) throws IOException;

  /**
   * Returns the headers of the latest revisions, newest first. The default reads their documents;
   * override it if many documents at once may not fit into memory.
   */
  default List<RevisionHeader> headers(int atMost) throws IOException {
    return revisions(atMost).stream().map(RevisionHeader::of).toList();
  }

  /**
   * Writes a revision and its line of the audit, together, if no other was written since.
   *
   * @param expected the number of the newest revision as the writer knows it; 0 for none
   * @param next the revision to write; its number must be higher
   * @return whether it was written
   */
  boolean write(long expected, Revision next, AuditEntry entry) throws IOException;

  /** Adds a line to the audit that changes no document. */
  void note(AuditEntry entry) throws IOException;

  /** Returns the latest lines of the audit, newest first. */
  List<AuditEntry> audit(int atMost) throws IOException;
}
