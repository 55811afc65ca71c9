package dev.redline.server.admin;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.server.rules.RuleDocuments;
import dev.redline.server.rules.RuleLayers;
import dev.redline.server.rules.RulesPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Changes rules: looks at the newest revision, makes the next one, checks the whole that comes of
 * it, and writes it unless somebody was faster; then it looks again. What was written is in force
 * on this node when a method returns.
 *
 * <p>Thread-safe. Methods throw {@link AdminProblem} if what is asked for cannot be done.
 */
final class RuleEditor {
  private static final RuleDocument NOTHING = new RuleDocument(1, List.of(), List.of(), List.of());
  private static final RuleDocumentReader READER = RuleDocumentReader.withoutPlaceholders();
  private static final int TRIES = 50;
  private static final int MOST_REVISIONS = 100;
  private static final String SYSTEM = "redline";

  /** The layers as a change finds them, the changed one above the one that cannot be. */
  private record Layers(RuleDocument base, RuleDocument own) {
    Optional<RateLimitRule> written(String id) {
      return find(own, id);
    }

    Optional<RateLimitRule> effective(String id) {
      return written(id).or(() -> find(base, id));
    }

    Set<String> plans() {
      return RuleLayers.layered(base, own).plans().stream()
          .map(RateLimitPlan::id)
          .collect(Collectors.toSet());
    }

    private static Optional<RateLimitRule> find(RuleDocument document, String id) {
      return document.rules().stream().filter(rule -> rule.id().equals(id)).findFirst();
    }
  }

  /** What is to be written, and how it is told. */
  private record Edit(
      RuleDocument document,
      String action,
      String summary,
      Optional<String> ruleId,
      Optional<Long> restored,
      Optional<RateLimitRule> before,
      Optional<RateLimitRule> after) {}

  private final RuleRepository repository;
  private final RuleDocuments documents;
  private final RateLimitEngine engine;
  private final Clock clock;

  RuleEditor(
      RuleRepository repository, RuleDocuments documents, RateLimitEngine engine, Clock clock) {
    this.repository = repository;
    this.documents = documents;
    this.engine = engine;
    this.clock = clock;
  }

  /** Adds a rule. */
  RateLimitRule create(String by, String json) {
    RuleText text = RuleText.of(json);
    return changeRule(
        by,
        layers -> {
          RateLimitRule rule = text.read(layers.plans());
          if (layers.effective(rule.id()).isPresent()) {
            throw new AdminProblem(
                409, "rule '" + rule.id() + "' exists already; change it with PUT");
          }
          return edit(layers, "create", Optional.empty(), rule);
        });
  }

  /** Replaces a rule, wherever it stands. */
  RateLimitRule replace(String by, String id, Optional<String> ifMatch, String json) {
    return changeRule(
        by,
        layers -> {
          RateLimitRule before = matched(layers, id, ifMatch);
          RateLimitRule rule = RuleText.of(json, id).read(layers.plans());
          if (!rule.id().equals(id)) {
            throw new AdminProblem(
                400, "id: must be '" + id + "' as in the path, was '" + rule.id() + "'");
          }
          return edit(layers, "update", Optional.of(before), rule);
        });
  }

  /** Removes a rule that was written here. */
  void delete(String by, String id, Optional<String> ifMatch) {
    change(
        by,
        layers -> {
          RateLimitRule before = matched(layers, id, ifMatch);
          if (layers.written(id).isEmpty()) {
            throw new AdminProblem(
                409,
                "rule '"
                    + id
                    + "' stands in a source that cannot be changed here; disable it with PUT and"
                    + " \"enabled\": false, or remove it from its source");
          }
          RuleDocument own = layers.own();
          List<RateLimitRule> rest =
              own.rules().stream().filter(rule -> !rule.id().equals(id)).toList();
          return new Edit(
              new RuleDocument(own.version(), own.plans(), rest, own.ruleSetIds()),
              "delete",
              "rule '" + id + "' deleted",
              Optional.of(id),
              Optional.empty(),
              Optional.of(before),
              Optional.empty());
        });
  }

  /** Writes an earlier revision once more, as the newest; returns its number. */
  long restore(String by, long version) {
    RuleDocument earlier =
        attempt(() -> repository.revision(version))
            .or(() -> history().stream().filter(one -> one.version() == version).findFirst())
            .map(revision -> read(revision, documents.base()))
            .orElseThrow(
                () -> new AdminProblem(404, "version " + version + " is not in the history"));
    return change(
        by,
        layers ->
            new Edit(
                earlier,
                "restore",
                "version " + version + " restored",
                Optional.empty(),
                Optional.of(version),
                Optional.empty(),
                Optional.empty()));
  }

  /** Returns the latest revisions, newest first, down to what was there before the first. */
  List<Revision> history() {
    List<Revision> revisions = new ArrayList<>(attempt(() -> repository.revisions(MOST_REVISIONS)));
    beginning(revisions).ifPresent(revisions::add);
    return revisions;
  }

  /**
   * Returns the state before the first change, which nobody wrote: the sources below alone, under
   * the version that was in force then. It can be told as long as the first revision is kept.
   */
  private Optional<Revision> beginning(List<Revision> revisions) {
    if (revisions.isEmpty()
        || revisions.size() >= MOST_REVISIONS
        || documents.base().ruleSetIds().isEmpty()) {
      return Optional.empty();
    }
    Revision first = revisions.get(revisions.size() - 1);
    RuleDocument nothing = new RuleDocument(first.version() - 1, List.of(), List.of(), List.of());
    return Optional.of(
        new Revision(
            nothing.version(),
            RuleDocumentWriter.toJson(nothing),
            first.at(),
            SYSTEM,
            "before the first change"));
  }

  private static RateLimitRule matched(Layers layers, String id, Optional<String> ifMatch) {
    RateLimitRule rule =
        layers.effective(id).orElseThrow(() -> new AdminProblem(404, "unknown rule '" + id + "'"));
    String tags =
        ifMatch.orElseThrow(
            () ->
                new AdminProblem(428, "If-Match is required: the ETag of the rule as you know it"));
    if (!RulesPage.names(tags, RulesPage.tagOf(AdminJson.of(rule)), false)) {
      throw new AdminProblem(412, "rule '" + id + "' was changed since; look at it again");
    }
    return rule;
  }

  private static Edit edit(
      Layers layers, String action, Optional<RateLimitRule> before, RateLimitRule after) {
    RuleDocument own = layers.own();
    List<RateLimitRule> rules = new ArrayList<>(own.rules());
    boolean there = rules.removeIf(rule -> rule.id().equals(after.id()));
    int at = there ? own.rules().indexOf(layers.written(after.id()).orElseThrow()) : rules.size();
    rules.add(at, after);
    Set<String> sets = new LinkedHashSet<>(own.ruleSetIds());
    sets.add(after.ruleSetId());
    return new Edit(
        new RuleDocument(own.version(), own.plans(), rules, List.copyOf(sets)),
        action,
        "rule '" + after.id() + "' " + (before.isPresent() ? "changed" : "created"),
        Optional.of(after.id()),
        Optional.empty(),
        before,
        Optional.of(after));
  }

  private RateLimitRule changeRule(String by, Function<Layers, Edit> editing) {
    List<RateLimitRule> written = new ArrayList<>(1);
    change(
        by,
        layers -> {
          Edit edit = editing.apply(layers);
          written.clear();
          edit.after().ifPresent(written::add);
          return edit;
        });
    return written.get(0);
  }

  /** Makes a change of what is there now, until nobody comes in between; returns its number. */
  private long change(String by, Function<Layers, Edit> editing) {
    for (int tries = 0; tries < TRIES; tries++) {
      Optional<Revision> newest = attempt(repository::newest);
      RuleDocument base = documents.base();
      RuleDocument own = newest.map(revision -> read(revision, base)).orElse(NOTHING);
      Edit edit = editing.apply(new Layers(base, own));
      long expected = newest.map(Revision::version).orElse(0L);
      long version = Math.max(expected, inForce()) + 1;
      RuleDocument next =
          new RuleDocument(
              version,
              edit.document().plans(),
              edit.document().rules(),
              edit.document().ruleSetIds());
      check(RuleLayers.layered(base, next), edit);
      if (attempt(() -> repository.write(expected, revision(next, by, edit), entry(by, edit)))) {
        documents.reload();
        return version;
      }
    }
    throw new AdminProblem(503, "too many others change rules at the same time; please retry");
  }

  private long inForce() {
    RuleBook book = engine.book();
    return book == null ? 0 : book.version();
  }

  private Revision revision(RuleDocument document, String by, Edit edit) {
    return new Revision(
        document.version(),
        RuleDocumentWriter.toJson(document),
        clock.instant(),
        by,
        edit.summary());
  }

  private AuditEntry entry(String by, Edit edit) {
    return new AuditEntry(
        clock.instant(),
        by,
        edit.action(),
        edit.ruleId(),
        Optional.empty(),
        edit.restored(),
        edit.before().map(AdminJson::of),
        edit.after().map(AdminJson::of));
  }

  private static RuleDocument read(Revision revision, RuleDocument base) {
    ReadResult read =
        READER.read(
            List.of(new Document("version " + revision.version(), revision.document())),
            base.plans().stream().map(RateLimitPlan::id).collect(Collectors.toSet()));
    if (!read.valid()) {
      throw new AdminProblem(
          409,
          "version " + revision.version() + " no longer fits the rules below it",
          read.errors());
    }
    return read.document();
  }

  /** Checks that the layers fit together. */
  private static void check(RuleDocument whole, Edit edit) {
    try {
      whole.toBook().build();
    } catch (IllegalArgumentException e) {
      throw new AdminProblem(edit.ruleId().isPresent() ? 400 : 409, String.valueOf(e.getMessage()));
    }
  }

  /** A call of the repository. */
  interface Call<T> {
    T run() throws IOException;
  }

  /** Calls the repository; that it cannot be reached is nobody's fault who asks. */
  static <T> T attempt(Call<T> call) {
    try {
      return call.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
