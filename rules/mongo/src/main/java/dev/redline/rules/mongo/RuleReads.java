package dev.redline.rules.mongo;

import com.mongodb.MongoException;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import dev.redline.rules.mongo.RevisionHead.Position;
import dev.redline.rules.mongo.RevisionLog.Entry;
import dev.redline.rules.mongo.RuleWrites.Parsed;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.types.ObjectId;

/**
 * The protocol of readers.
 *
 * <p>A reader takes the documents only if the head did not move meanwhile. If they differ from the
 * newest revision, another tool has changed them: the reader adds a revision by {@code external}. A
 * writer that was stopped, and goes on after others have completed its write and written again, may
 * bring back a document; its {@linkplain WriteTag tag} shows that, and the reader repairs it.
 */
final class RuleReads {
  private static final Logger LOG = System.getLogger(RuleReads.class.getName());
  private static final String EXTERNAL = "external";
  private static final int MAX_TRIES = 30;
  private static final int MAX_NAMED = 5;
  private static final Duration LATE_WRITER = Duration.ofMinutes(10);

  /**
   * The newest revision.
   *
   * @param disappeared whether there are no documents at all although the revision has some
   */
  record State(Position head, Revision revision, boolean disappeared) {}

  private final MongoAccess access;
  private final RuleWrites writes;
  private final Clock clock;

  RuleReads(MongoAccess access, RuleWrites writes, Clock clock) {
    this.access = access;
    this.writes = writes;
    this.clock = clock;
  }

  /** Returns the newest revision; nothing if there are neither revisions nor documents. */
  Optional<State> current() throws IOException {
    writes.prepare();
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Position at = writes.completePending();
      if (at.pending()) {
        // This user may not write; the revision says what the documents will say.
        return Optional.of(new State(at, writes.parsed(at).entry().revision(), false));
      }
      List<StoredDocument> rules = writes.rules().read();
      List<StoredDocument> plans = writes.plans().read();
      if (!writes.head().read().equals(at)) {
        continue;
      }
      if (at.version() == 0 && rules.isEmpty() && plans.isEmpty()) {
        return Optional.empty();
      }
      Optional<Parsed> known =
          at.version() == 0 ? Optional.empty() : Optional.of(writes.parsed(at));
      RuleContent expected = known.map(Parsed::content).orElse(RuleContent.EMPTY);
      RuleContent actual = RuleContent.of(rules, plans, expected.ruleSetIds());
      if (known.isPresent() && (actual.isEmpty() || actual.hasSameDocuments(expected))) {
        boolean disappeared = actual.isEmpty() && !expected.isEmpty();
        return Optional.of(new State(at, known.get().entry().revision(), disappeared));
      }
      try {
        if (!repair(at, expected, rules, plans)) {
          adopt(at, expected, actual);
        }
      } catch (MongoException e) {
        if (!MongoAccess.isForbidden(e)) {
          throw e;
        }
        return Optional.of(new State(at, revision(at, expected, actual), false));
      }
    }
    throw new IOException("the rules changed " + MAX_TRIES + " times while they were read");
  }

  /** Adds a revision that says what the documents say; another reader may be first. */
  private void adopt(Position at, RuleContent before, RuleContent after) throws IOException {
    Revision revision = revision(at, before, after);
    checkReadable(revision, after);
    Entry entry =
        new Entry(
            new ObjectId(),
            revision,
            at.version(),
            true,
            auditEntry(revision.at(), before, after),
            writes.head().nextAudit());
    if (writes.commit(at, entry)) {
      writes.complete(new Position(revision.version(), Optional.of(entry.id()), true), entry);
      LOG.log(
          Level.INFO,
          "{0}: version {1}: {2}",
          access.name(),
          Long.toString(revision.version()),
          revision.summary());
    }
  }

  /**
   * Rejects documents whose revision could not be read again, such as one that is nested too
   * deeply: it would block all readers, also after the documents were mended.
   */
  private static void checkReadable(Revision revision, RuleContent content) throws IOException {
    Optional<String> problem = problem(revision.document(), content);
    if (problem.isPresent()) {
      throw new IOException(
          unreadable("rule", content.rules())
                  .or(() -> unreadable("plan", content.plans()))
                  .orElse("the rules cannot be read")
              + ": "
              + problem.get());
    }
  }

  /** Returns why a text does not say what the documents say. */
  private static Optional<String> problem(String text, RuleContent content) {
    try {
      return RuleContent.ofText(text).hasSameDocuments(content)
          ? Optional.empty()
          : Optional.of("not the same as text");
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the first rule or plan that cannot be read as text. */
  private static Optional<String> unreadable(
      String what, SortedMap<String, List<Map<String, Object>>> byId) {
    for (Map.Entry<String, List<Map<String, Object>>> each : byId.entrySet()) {
      // A plan is read like a rule here: as a map of values.
      SortedMap<String, List<Map<String, Object>>> alone = new TreeMap<>();
      alone.put(each.getKey(), each.getValue());
      RuleContent one = new RuleContent(alone, new TreeMap<>(), Set.of());
      if (isUnreadable(one.toText(1))) {
        return Optional.of(what + " '" + each.getKey() + "' cannot be read");
      }
    }
    return Optional.empty();
  }

  private static boolean isUnreadable(String text) {
    try {
      RuleContent.ofText(text);
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  private Revision revision(Position at, RuleContent before, RuleContent after) {
    long version = at.version() + 1;
    return new Revision(
        version, after.toText(version), clock.instant(), EXTERNAL, summary(before, after));
  }

  private static String summary(RuleContent before, RuleContent after) {
    List<String> parts = new ArrayList<>();
    describe(parts, "rule", before.rules(), after.rules());
    describe(parts, "plan", before.plans(), after.plans());
    return "by another tool: " + String.join(", ", parts);
  }

  private static void describe(
      List<String> parts,
      String what,
      SortedMap<String, List<Map<String, Object>>> before,
      SortedMap<String, List<Map<String, Object>>> after) {
    Set<String> changed = RuleContent.changed(before, after);
    if (changed.size() > MAX_NAMED) {
      parts.add(changed.size() + " " + what + "s changed");
      return;
    }
    for (String id : changed) {
      parts.add(what + " '" + id + "' " + verb(id, before, after));
    }
  }

  private static String verb(String id, Map<String, ?> before, Map<String, ?> after) {
    return !before.containsKey(id) ? "created" : after.containsKey(id) ? "changed" : "deleted";
  }

  private static AuditEntry auditEntry(Instant at, RuleContent before, RuleContent after) {
    Set<String> rules = RuleContent.changed(before.rules(), after.rules());
    boolean one = rules.size() == 1 && before.plans().equals(after.plans());
    if (!one) {
      Optional<String> none = Optional.empty();
      return new AuditEntry(at, EXTERNAL, "update", none, none, none);
    }
    String id = rules.iterator().next();
    String action =
        switch (verb(id, before.rules(), after.rules())) {
          case "created" -> "create";
          case "deleted" -> "delete";
          default -> "update";
        };
    return new AuditEntry(at, EXTERNAL, action, Optional.of(id), json(before, id), json(after, id));
  }

  private static Optional<String> json(RuleContent content, String id) {
    return Optional.ofNullable(content.rules().get(id)).map(values -> JsonWriter.of(values.get(0)));
  }

  /**
   * Undoes what a late writer has done: documents whose tag names an earlier revision, and that no
   * tool changed since. Returns false if there are none, or if MongoDB rejects what the revision
   * says, as it did when the revision was written.
   */
  private boolean repair(
      Position at, RuleContent expected, List<StoredDocument> rules, List<StoredDocument> plans)
      throws IOException {
    Set<String> lateRules = late(at, expected.rules(), rules);
    Set<String> latePlans = late(at, expected.plans(), plans);
    if (lateRules.isEmpty() && latePlans.isEmpty()) {
      return false;
    }
    LOG.log(
        Level.WARNING,
        "{0}: documents of an earlier version are repaired: rules [{1}], plans [{2}]",
        access.name(),
        lateRules.stream().limit(MAX_NAMED).collect(Collectors.joining(", ")),
        latePlans.stream().limit(MAX_NAMED).collect(Collectors.joining(", ")));
    ObjectId id = at.record().orElseThrow(() -> new IOException("the head names no revision"));
    List<String> rejected = new ArrayList<>();
    rejected.addAll(writes.rules().apply(lateRules, expected.rules(), rules, id, at.version()));
    rejected.addAll(writes.plans().apply(latePlans, expected.plans(), plans, id, at.version()));
    return rejected.isEmpty();
  }

  private Set<String> late(
      Position at,
      SortedMap<String, List<Map<String, Object>>> expected,
      List<StoredDocument> actual) {
    Instant recent = clock.instant().minus(LATE_WRITER);
    Set<String> ids = new TreeSet<>();
    for (StoredDocument stored : actual) {
      boolean late =
          !expected.getOrDefault(stored.id(), List.of()).contains(stored.value())
              && stored
                  .tag()
                  .filter(tag -> tag.revision() < at.version())
                  .filter(tag -> tag.record().getDate().toInstant().isAfter(recent))
                  .isPresent();
      if (late) {
        ids.add(stored.id());
      }
    }
    return ids;
  }
}
