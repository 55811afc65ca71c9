package dev.redline.rules.documents.loading;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader.Draft;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one source: what it holds, the last of that which was valid, and what is wrong
 * now. A source that cannot be reached, or holds something wrong, still says what it said last.
 */
final class SourceState {
  private final RuleSource source;
  private @Nullable Snapshot fetched;
  private @Nullable Draft draft;
  private @Nullable String seenVersion;
  private @Nullable String validVersion;
  private Optional<RuleDocument> valid = Optional.empty();
  private List<String> wrong = List.of();
  private Optional<String> away = Optional.empty();
  private boolean empty;

  SourceState(RuleSource source) {
    this.source = source;
  }

  RuleSource source() {
    return source;
  }

  /** Asks the source; returns whether it holds something else than last time. */
  boolean fetch() {
    if (!source.live() && seenVersion != null) {
      return false;
    }
    fetched = null;
    draft = null;
    empty = false;
    Optional<Snapshot> snapshot;
    try {
      snapshot = source.provider().load();
      away = Optional.empty();
    } catch (IOException e) {
      away = Optional.of(named(String.valueOf(e.getMessage())));
      return false;
    }
    if (snapshot.isEmpty()) {
      empty = true;
      return false;
    }
    fetched = snapshot.get();
    boolean changed = !fetched.version().equals(seenVersion);
    seenVersion = fetched.version();
    return changed;
  }

  private String named(String message) {
    String name = source.provider().name();
    return message.startsWith(name) ? message : name + ": " + message;
  }

  /** Reads what was fetched, unless it is known to be valid. */
  void read() {
    if (fetched == null) {
      return;
    }
    if (fetched.version().equals(validVersion)) {
      wrong = List.of();
    } else {
      draft = source.reader().draft(fetched.documents());
    }
  }

  /** Returns the plans it would define. */
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

  /** Holds what was read against the plans of the other sources; returns what came of it. */
  Optional<ReadResult> finish(Set<String> plansElsewhere) {
    Draft read = draft;
    Snapshot from = fetched;
    forget();
    if (read == null || from == null) {
      return Optional.empty();
    }
    ReadResult result = read.finish(plansElsewhere);
    wrong = result.errors().stream().map(RuleProblem::toString).toList();
    if (result.valid()) {
      valid = Optional.of(result.document());
      validVersion = from.version();
    }
    return Optional.of(result);
  }

  /** Lets go of what was fetched: texts may be large. */
  void forget() {
    draft = null;
    fetched = null;
  }

  /** Returns the last valid document, if there ever was one. */
  Optional<RuleDocument> document() {
    return valid;
  }

  /** Returns whether it holds no document, and never did as far as is known. */
  boolean neverHeldAny() {
    return empty && seenVersion == null;
  }

  /** Returns whether it could not be asked. */
  boolean isAway() {
    return away.isPresent();
  }

  /** Returns whether it holds no document although it must, or did. */
  boolean isGone() {
    return empty && (source.required() || seenVersion != null);
  }

  /** Returns what is wrong with it now. */
  List<String> errors() {
    if (away.isPresent()) {
      return List.of(away.get());
    }
    if (isGone()) {
      return List.of(source.provider().name() + ": there is no rule document");
    }
    return wrong;
  }
}
