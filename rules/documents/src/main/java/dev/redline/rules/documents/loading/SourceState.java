package dev.redline.rules.documents.loading;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader.Draft;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state of one source: the last version fetched, the last valid document, and the current
 * errors. The last valid document stays while the source is unreachable or its document is invalid.
 */
final class SourceState {
  private static final Logger LOG = System.getLogger(SourceState.class.getName());

  private final RuleSource source;
  private @Nullable Snapshot fetched;
  private @Nullable Draft draft;
  private @Nullable String seenVersion;
  private @Nullable String validVersion;
  private Optional<RuleDocument> valid = Optional.empty();
  private List<String> problems = List.of();
  private Optional<String> unreachable = Optional.empty();
  private boolean empty;
  private volatile boolean seen;
  private final ReentrantLock fetching = new ReentrantLock();

  SourceState(RuleSource source) {
    this.source = source;
  }

  RuleSource source() {
    return source;
  }

  /**
   * What one fetch returned.
   *
   * @param attempted false if the source is not loaded again
   */
  record Fetched(boolean attempted, Optional<Snapshot> snapshot, Optional<String> failure) {}

  /** The lock that is held from a fetch until it is accepted, so that fetches keep their order. */
  ReentrantLock fetching() {
    return fetching;
  }

  /** Fetches the documents; does I/O, and changes nothing here. */
  Fetched fetch() {
    if (!source.live() && seen) {
      return new Fetched(false, Optional.empty(), Optional.empty());
    }
    try {
      return new Fetched(true, source.provider().load(), Optional.empty());
    } catch (IOException e) {
      return new Fetched(
          true, Optional.empty(), Optional.of(named(String.valueOf(e.getMessage()))));
    } catch (RuntimeException e) {
      // A bug of the source; it must not end the start, and health has to show it.
      LOG.log(Level.DEBUG, source.provider().name() + ": loading failed", e);
      return new Fetched(true, Optional.empty(), Optional.of(named("loading failed: " + e)));
    }
  }

  /** Takes over what was fetched; returns whether the version of the documents changed. */
  boolean accept(Fetched result) {
    if (!result.attempted()) {
      return false;
    }
    unreachable = result.failure();
    empty = unreachable.isEmpty() && result.snapshot().isEmpty();
    if (result.snapshot().isEmpty()) {
      return false;
    }
    fetched = result.snapshot().get();
    boolean changed = !fetched.version().equals(seenVersion);
    seenVersion = fetched.version();
    seen = true;
    return changed;
  }

  private String named(String message) {
    String name = source.provider().name();
    return message.startsWith(name) ? message : name + ": " + message;
  }

  /** Reads the fetched documents, unless this version is known to be valid. */
  void read() {
    if (fetched == null) {
      return;
    }
    if (fetched.version().equals(validVersion)) {
      problems = List.of();
    } else {
      draft = source.reader().draft(fetched.documents());
    }
  }

  /** Returns the ids of the plans of the fetched documents, else of the last valid ones. */
  Set<String> planIds() {
    if (draft != null) {
      return draft.planIds();
    }
    return valid
        .map(
            document ->
                document.plans().stream().map(RateLimitPlan::id).collect(Collectors.toSet()))
        .orElse(Set.of());
  }

  /** Checks references to plans of other sources; returns the result if documents were read. */
  Optional<ReadResult> finish(Set<String> plansElsewhere) {
    Draft read = draft;
    Snapshot from = fetched;
    draft = null;
    if (read == null || from == null) {
      return Optional.empty();
    }
    ReadResult result = read.finish(plansElsewhere);
    problems = result.errors().stream().map(RuleProblem::toString).toList();
    if (result.valid()) {
      valid = Optional.of(result.document());
      validVersion = from.version();
    }
    return Optional.of(result);
  }

  /**
   * Releases the fetched documents, which may be large. Invalid ones are kept: plans of another
   * source may make them valid.
   */
  void forgetIfValid() {
    if (fetched != null && fetched.version().equals(validVersion)) {
      fetched = null;
    }
  }

  /** Returns the last valid document, if there was one. */
  Optional<RuleDocument> document() {
    return valid;
  }

  /** Returns whether the source is empty and no fetch ever returned a document. */
  boolean wasAlwaysEmpty() {
    return empty && seenVersion == null;
  }

  /** Returns whether the last fetch failed. */
  boolean isUnreachable() {
    return unreachable.isPresent();
  }

  /** Returns whether the source is empty although it is required or held a document before. */
  boolean isMissing() {
    return empty && (source.required() || seenVersion != null);
  }

  /** Returns the current errors. */
  List<String> errors() {
    if (unreachable.isPresent()) {
      return List.of(unreachable.get());
    }
    if (isMissing()) {
      return List.of(source.provider().name() + ": there is no rule document");
    }
    return problems;
  }
}
