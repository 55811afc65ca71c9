package dev.redline.server.admin;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.core.spi.RuleRepository.RevisionHeader;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import dev.redline.server.rules.RuleDocuments;
import dev.redline.server.rules.RuleLayers;
import dev.redline.server.rules.RulesPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Changes rules with optimistic concurrency: reads the newest revision, applies the edit, validates
 * the resulting rules, and writes the next revision with compare-and-set on the version number. If
 * another writer came first, it starts over. The change is in force on this node when a method
 * returns.
 *
 * <p>Thread-safe. Methods throw {@link AdminProblem} if the change is invalid or not possible.
 */
final class RuleEditor {
  /** A rule of this id could not be read at {@code rules/{id}}. */
  private static final String RESERVED_ID = "errors";

  private static final RuleDocument EMPTY = new RuleDocument(1, List.of(), List.of(), List.of());
  private static final RuleDocumentReader READER = RuleDocumentReader.withoutPlaceholders();
  private static final int MAX_TRIES = 50;
  private static final int MAX_REVISIONS = 100;
  private static final String SYSTEM = "redline";

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
          RateLimitRule rule = text.read(plans(layers));
          if (rule.id().equals(RESERVED_ID)) {
            throw new AdminProblem(
                400, "id: 'errors' is reserved, because GET rules/errors lists errors; rename it");
          }
          if (layers.effective(rule.id()).isPresent()) {
            throw new AdminProblem(
                409, "rule '" + rule.id() + "' exists already; change it with PUT");
          }
          return RuleEdit.create(layers, rule);
        });
  }

  /** Replaces a rule; one of a read-only source is overridden. */
  RateLimitRule replace(String by, String id, Optional<String> ifMatch, String json) {
    return changeRule(
        by,
        layers -> {
          RateLimitRule before = requireMatch(layers, id, ifMatch);
          RateLimitRule rule = RuleText.of(json, id).read(plans(layers));
          if (!rule.id().equals(id)) {
            throw new AdminProblem(
                400,
                "id: must be '" + id + "' as in the path, was '" + rule.id() + "'",
                List.of(otherId(id, rule.id())));
          }
          return RuleEdit.update(layers, before, rule);
        });
  }

  private static RuleProblem otherId(String id, String sent) {
    return new RuleProblem(
        "rule",
        1,
        Optional.of(id),
        Optional.of("id"),
        Optional.of(sent),
        "must be '" + id + "' as in the path, or absent",
        Optional.empty());
  }

  /** Removes a rule from the writable source. */
  void delete(String by, String id, Optional<String> ifMatch) {
    change(
        by,
        layers -> {
          RateLimitRule before = requireMatch(layers, id, ifMatch);
          if (layers.own(id).isEmpty()) {
            throw new AdminProblem(
                409,
                "rule '"
                    + id
                    + "' comes from a read-only source; disable it with PUT and"
                    + " \"enabled\": false, or remove it from its source");
          }
          return RuleEdit.delete(layers, before);
        });
  }

  /** Writes an earlier revision again as the newest one; returns the new version. */
  long restore(String by, long version) {
    RuleDocument earlier =
        callRepository(() -> repository.revision(version))
            .map(revision -> read(revision, documents.base()))
            .or(
                () ->
                    initialState(headers())
                        .filter(one -> one.version() == version)
                        .map(one -> EMPTY))
            .orElseThrow(
                () -> new AdminProblem(404, "version " + version + " is not in the history"));
    return change(by, true, layers -> RuleEdit.restore(version, earlier));
  }

  /** Returns the latest revisions, newest first, including the state before the first change. */
  List<RevisionHeader> history() {
    List<RevisionHeader> headers = new ArrayList<>(headers());
    initialState(headers).ifPresent(headers::add);
    return headers;
  }

  private List<RevisionHeader> headers() {
    return callRepository(() -> repository.headers(MAX_REVISIONS));
  }

  /**
   * Returns the state before the first change as a revision, although it was never written: the
   * read-only sources alone, under the version in force then. It is known as long as the repository
   * keeps the first revision.
   */
  private Optional<RevisionHeader> initialState(List<RevisionHeader> headers) {
    if (headers.isEmpty()
        || headers.size() >= MAX_REVISIONS
        || documents.base().ruleSetIds().isEmpty()) {
      return Optional.empty();
    }
    RevisionHeader first = headers.get(headers.size() - 1);
    return Optional.of(
        new RevisionHeader(first.version() - 1, first.at(), SYSTEM, "before the first change"));
  }

  private Set<String> plans(EditableLayers layers) {
    Set<String> plans = new HashSet<>(layers.plans());
    plans.addAll(documents.planIds());
    return plans;
  }

  /** Returns the rule in force if {@code If-Match} names its current ETag. */
  private static RateLimitRule requireMatch(
      EditableLayers layers, String id, Optional<String> ifMatch) {
    RateLimitRule rule =
        layers.effective(id).orElseThrow(() -> new AdminProblem(404, "unknown rule '" + id + "'"));
    String tags =
        ifMatch.orElseThrow(
            () -> new AdminProblem(428, "If-Match is required: send the ETag of the rule"));
    if (!RulesPage.names(tags, RulesPage.tagOf(AdminJson.of(rule)), false)) {
      throw new AdminProblem(412, "rule '" + id + "' has changed; read it again");
    }
    return rule;
  }

  private RateLimitRule changeRule(String by, Function<EditableLayers, RuleEdit> editing) {
    // The edit may run several times; the last one is written.
    List<RateLimitRule> written = new ArrayList<>(1);
    change(
        by,
        layers -> {
          RuleEdit edit = editing.apply(layers);
          written.clear();
          edit.after().ifPresent(written::add);
          return edit;
        });
    return written.get(0);
  }

  private long change(String by, Function<EditableLayers, RuleEdit> editing) {
    return change(by, false, editing);
  }

  /**
   * Applies an edit to the newest revision and writes the result; returns its version.
   *
   * @param replacesAll whether the edit does not depend on the newest revision, which may then be
   *     invalid: so a restore undoes what another tool has broken
   */
  private long change(String by, boolean replacesAll, Function<EditableLayers, RuleEdit> editing) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Optional<Revision> newest = newest();
      RuleDocument base = documents.base();
      RuleDocument own =
          replacesAll
              ? EMPTY
              : newest.map(revision -> read(revision, base)).orElseGet(documents::own);
      RuleEdit edit = editing.apply(new EditableLayers(base, own));
      long expected = newest.map(Revision::version).orElse(0L);
      long version = Math.max(expected, versionInForce()) + 1;
      RuleDocument next =
          new RuleDocument(
              version,
              edit.document().plans(),
              edit.document().rules(),
              edit.document().ruleSetIds());
      validate(base, next, edit);
      if (callRepository(
          () -> repository.write(expected, revision(next, by, edit), entry(by, edit, version)))) {
        documents.reloadRepository();
        return version;
      }
    }
    throw new AdminProblem(503, "too many concurrent changes of rules; please retry");
  }

  /**
   * Returns the newest revision. A source that was unreachable at the start may lack the starting
   * document; then it is written first. A source that lost its document stays empty: its rules in
   * force are what an edit starts from.
   */
  private Optional<Revision> newest() {
    Optional<Revision> newest = callRepository(repository::newest);
    if (newest.isPresent()) {
      return newest;
    }
    documents.reloadRepository();
    return callRepository(repository::newest);
  }

  private long versionInForce() {
    RuleBook book = engine.book();
    return book == null ? 0 : book.version();
  }

  private Revision revision(RuleDocument document, String by, RuleEdit edit) {
    return new Revision(
        document.version(),
        RuleDocumentWriter.toJson(document),
        clock.instant(),
        by,
        edit.summary());
  }

  private AuditEntry entry(String by, RuleEdit edit, long version) {
    return new AuditEntry(
        clock.instant(),
        by,
        edit.action(),
        edit.ruleId(),
        edit.after().or(edit::before).map(RateLimitRule::ruleSetId),
        edit.restored().or(() -> Optional.of(version)),
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
          "version " + revision.version() + " is not valid with the current read-only sources",
          read.errors());
    }
    return read.document();
  }

  /**
   * Rejects an edit that would not come into force: because of itself, or because read-only sources
   * have changed meanwhile and contradict the rules of the writable one. In the latter case rules
   * can still be deleted one by one, until nothing contradicts any more.
   */
  private void validate(RuleDocument base, RuleDocument next, RuleEdit edit) {
    ReadResult read = documents.tryOut(RuleDocumentWriter.toJson(next));
    if (read.valid()) {
      return;
    }
    try {
      RuleLayers.layered(base, next).toBook().build();
    } catch (IllegalArgumentException e) {
      throw new AdminProblem(edit.ruleId().isPresent() ? 400 : 409, String.valueOf(e.getMessage()));
    }
    if (edit.isDeletion()) {
      return;
    }
    throw new AdminProblem(
        409,
        "the change would not come into force, because a read-only source has changed: "
            + read.errors().get(0).message(),
        read.errors());
  }

  /** A call of the repository. */
  interface Call<T> {
    T run() throws IOException;
  }

  /** Calls the repository; a failure becomes 503 in {@link AdminErrors}. */
  static <T> T callRepository(Call<T> call) {
    try {
      return call.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
