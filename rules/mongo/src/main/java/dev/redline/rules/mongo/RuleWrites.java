package dev.redline.rules.mongo;

import com.mongodb.MongoException;
import com.mongodb.client.model.Indexes;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.mongo.RevisionHead.Position;
import dev.redline.rules.mongo.RevisionLog.Entry;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of writers. {@link RuleReads} is that of readers.
 *
 * <p>A writer inserts the record of its revision, moves the head to it ({@code pending}), makes the
 * documents that changed say what the revision says, commits the record and clears {@code pending}.
 * Of two writers the head accepts one. Every step after the move can be done again and by anyone,
 * so a reader that finds {@code pending} for longer than a writer needs does the rest.
 */
final class RuleWrites {
  static final String RULES = "";
  static final String HEAD = "_head";
  private static final String PLANS = "_plans";
  private static final String REVISIONS = "_revisions";
  private static final String AUDIT = "_audit";

  private static final Logger LOG = System.getLogger(RuleWrites.class.getName());
  private static final int MAX_NAMED = 5;
  private static final Duration WRITER_TIME = Duration.ofMillis(500);

  /** A record with its content, which is read once. */
  record Parsed(Entry entry, RuleContent content) {}

  private final MongoAccess access;
  private final Clock clock;
  private boolean prepared;
  private @Nullable Parsed newest;

  RuleWrites(MongoAccess access, Clock clock) {
    this.access = access;
    this.clock = clock;
  }

  RevisionHead head() {
    return new RevisionHead(access.collection(HEAD));
  }

  RevisionLog log() {
    return new RevisionLog(access.collection(REVISIONS), access.collection(AUDIT));
  }

  RuleCollection rules() {
    return RuleCollection.ofRules(access.collection(RULES));
  }

  RuleCollection plans() {
    return RuleCollection.ofPlans(access.collection(PLANS));
  }

  /** Creates the indexes, once in a process; a user who may not is a reader. */
  synchronized void prepare() {
    if (prepared) {
      return;
    }
    try {
      var rules = access.collection(RULES);
      rules.createIndex(Indexes.ascending("ruleSetId", "enabled"));
      rules.createIndex(
          Indexes.compoundIndex(Indexes.ascending("ruleSetId"), Indexes.descending("priority")));
      log().createIndexes();
    } catch (MongoException e) {
      if (!MongoAccess.isForbidden(e)) {
        throw e;
      }
      LOG.log(Level.INFO, "{0}: indexes were not created: {1}", access.name(), e.getMessage());
    }
    prepared = true;
  }

  /** Returns the revision at which the head is. */
  Parsed parsed(Position at) throws IOException {
    ObjectId id = at.record().orElseThrow(() -> new IOException("the head names no revision"));
    synchronized (this) {
      if (newest != null && newest.entry().id().equals(id)) {
        return newest;
      }
    }
    Entry entry = log().read(id);
    Parsed parsed = new Parsed(entry, content(entry));
    synchronized (this) {
      newest = parsed;
    }
    return parsed;
  }

  private static RuleContent content(Entry entry) throws IOException {
    try {
      return RuleContent.ofText(entry.revision().document());
    } catch (IllegalArgumentException e) {
      throw new IOException("revision " + entry.revision().version() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Writes a revision; returns false if the head is not where the writer knows it.
   *
   * @param at where the head is
   * @throws IllegalArgumentException if the text is no rule document, or MongoDB cannot hold it
   * @throws IOException if MongoDB rejected a document; it then stays as it was
   */
  boolean write(Position at, Revision next, AuditEntry audit) throws IOException {
    ObjectId id = new ObjectId();
    checkBson(RuleContent.ofText(next.document()), id, next.version());
    Entry entry = new Entry(id, next, at.version(), false, audit, head().nextAudit());
    if (!commit(at, entry)) {
      return false;
    }
    try {
      List<String> rejected = complete(new Position(next.version(), Optional.of(id), true), entry);
      if (!rejected.isEmpty()) {
        throw new IOException(
            "MongoDB rejected documents of version " + next.version() + ": " + named(rejected));
      }
    } catch (MongoException e) {
      // The revision is the newest one; the next reader writes its documents.
      LOG.log(
          Level.WARNING,
          "{0}: version {1} is written, its documents not yet: {2}",
          access.name(),
          Long.toString(next.version()),
          e.getMessage());
    }
    return true;
  }

  /** Converts everything, since after the head has moved it would be too late for an error. */
  private void checkBson(RuleContent target, ObjectId id, long version) {
    target.rules().forEach((key, values) -> rules().check(key, values, id, version));
    target.plans().forEach((key, values) -> plans().check(key, values, id, version));
  }

  /** Inserts the record and moves the head to it; returns false if another writer was first. */
  boolean commit(Position at, Entry entry) throws IOException {
    log().insert(entry);
    if (head().move(at, entry.revision().version(), entry.id())) {
      return true;
    }
    log().discard(entry.id());
    return false;
  }

  /**
   * Completes a write that another writer has left, after it had time to do so itself. Returns the
   * head; it is still pending if this user may not write.
   */
  Position completePending() throws IOException {
    Position at = head().read();
    long deadline = System.nanoTime() + WRITER_TIME.toNanos();
    for (long millis = 5; at.pending() && System.nanoTime() - deadline < 0; millis *= 2) {
      sleep(millis);
      Position now = head().read();
      if (!now.equals(at)) {
        deadline = System.nanoTime() + WRITER_TIME.toNanos();
        millis = 5;
      }
      at = now;
    }
    if (!at.pending()) {
      return at;
    }
    try {
      Entry entry = parsed(at).entry();
      LOG.log(
          Level.INFO,
          "{0}: completing version {1}, whose writer has stopped",
          access.name(),
          Long.toString(at.version()));
      List<String> rejected = complete(at, entry);
      if (!rejected.isEmpty()) {
        LOG.log(Level.WARNING, "{0}: rejected documents: {1}", access.name(), named(rejected));
      }
      return head().read();
    } catch (MongoException e) {
      if (MongoAccess.isForbidden(e)) {
        return at;
      }
      throw e;
    }
  }

  private static String named(List<String> rejected) {
    String first = rejected.stream().limit(MAX_NAMED).collect(Collectors.joining("; "));
    return rejected.size() > MAX_NAMED
        ? first + "; and " + (rejected.size() - MAX_NAMED) + " more"
        : first;
  }

  void note(AuditEntry entry) {
    prepare();
    log().note(head().nextAudit(), entry);
  }

  private static void sleep(long millis) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Does everything that follows the move of the head; returns what MongoDB rejected. */
  List<String> complete(Position at, Entry entry) throws IOException {
    List<String> rejected = entry.external() ? List.of() : writeDocuments(at, entry);
    RevisionLog log = log();
    log.commit(entry);
    head().finish(at);
    log.trim(entry, clock.instant());
    return rejected;
  }

  private List<String> writeDocuments(Position at, Entry entry) throws IOException {
    RuleContent target = content(entry);
    RuleContent base = RuleContent.EMPTY;
    if (entry.base() > 0) {
      Optional<Entry> before = log().committed(entry.base());
      base = before.isPresent() ? content(before.get()) : base;
    }
    List<StoredDocument> rules = rules().read();
    List<StoredDocument> plans = plans().read();
    if (rules.isEmpty() && plans.isEmpty()) {
      // All documents have disappeared, and the revision brings them back.
      base = RuleContent.EMPTY;
    }
    if (!head().read().equals(at)) {
      // Others have completed this write, and may have written again since.
      return List.of();
    }
    List<String> rejected =
        new ArrayList<>(
            plans()
                .apply(
                    RuleContent.changed(base.plans(), target.plans()),
                    target.plans(),
                    plans,
                    entry.id(),
                    at.version()));
    rejected.addAll(
        rules()
            .apply(
                RuleContent.changed(base.rules(), target.rules()),
                target.rules(),
                rules,
                entry.id(),
                at.version()));
    return rejected;
  }
}
