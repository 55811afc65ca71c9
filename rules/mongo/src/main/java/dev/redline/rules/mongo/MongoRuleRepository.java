package dev.redline.rules.mongo;

import com.mongodb.client.MongoClient;
import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.RuleRepository;
import dev.redline.rules.mongo.RevisionHead.Position;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Rules in MongoDB: one document for each rule and each plan, the latest 100 revisions and the
 * latest 1,000 audit entries.
 *
 * <p>A write needs no transaction. It moves the head by compare-and-set, which decides between
 * writers, and then writes the documents that changed; a reader that finds the head moved and the
 * documents not written completes the write. Documents that another tool has changed become a
 * revision by {@code external}.
 *
 * <p>Connects on first use. Thread-safe.
 */
public final class MongoRuleRepository implements RuleRepository {
  private final MongoAccess access;
  private final RuleWrites writes;
  private final RuleReads reads;
  private final ChangeSignal signal;
  private final Duration pollInterval;

  /** Creates a repository; nothing is connected yet. */
  public MongoRuleRepository(MongoSettings settings) {
    this(settings, new MongoAccess(settings, Optional.empty()), Optional.empty());
  }

  /** Creates a repository that uses the application's client, and does not close it. */
  public MongoRuleRepository(MongoClient client, MongoSettings settings) {
    this(settings, new MongoAccess(settings, Optional.of(client)), Optional.empty());
  }

  MongoRuleRepository(MongoSettings settings, MongoAccess access, Optional<ChangeSignal> signal) {
    this.access = access;
    Clock clock = Clock.systemUTC();
    this.writes = new RuleWrites(access, clock);
    this.reads = new RuleReads(access, writes, clock);
    this.signal =
        signal.orElseGet(
            () -> new ChangeStreams(access, List.of(RuleWrites.RULES, RuleWrites.HEAD)));
    this.pollInterval = settings.pollInterval();
  }

  @Override
  public String name() {
    return access.name();
  }

  @Override
  public Optional<Duration> pollInterval() {
    return Optional.of(pollInterval);
  }

  /** Returns nothing, too, if all documents are gone: the last good rules then stay in force. */
  @Override
  public Optional<Snapshot> load() throws IOException {
    return access.call(
        () ->
            reads
                .current()
                .filter(state -> !state.disappeared())
                .map(
                    state ->
                        new Snapshot(
                            Sha256.hex(state.revision().document()),
                            List.of(new Document(name(), state.revision().document())))));
  }

  @Override
  public Optional<Revision> newest() throws IOException {
    return access.call(() -> reads.current().map(RuleReads.State::revision));
  }

  @Override
  public Optional<Revision> revision(long version) throws IOException {
    return access.call(
        () -> {
          writes.completePending();
          return writes.log().committed(version).map(RevisionLog.Entry::revision);
        });
  }

  @Override
  public List<Revision> revisions(int atMost) throws IOException {
    return access.call(
        () -> {
          writes.completePending();
          return writes.log().latest(atMost);
        });
  }

  /** {@inheritDoc} The documents stay in the database. */
  @Override
  public List<RevisionHeader> headers(int atMost) throws IOException {
    return access.call(
        () -> {
          writes.completePending();
          return writes.log().latestHeaders(atMost);
        });
  }

  @Override
  public boolean write(long expected, Revision next, AuditEntry entry) throws IOException {
    if (next.version() <= expected) {
      throw new IllegalArgumentException(
          "revision " + next.version() + " cannot follow revision " + expected);
    }
    boolean written =
        access.call(
            () -> {
              Position at = reads.current().map(RuleReads.State::head).orElse(Position.NONE);
              return at.version() == expected && !at.pending() && writes.write(at, next, entry);
            });
    if (written) {
      signal.announce(next.version());
    }
    return written;
  }

  @Override
  public void note(AuditEntry entry) throws IOException {
    access.call(
        () -> {
          writes.note(entry);
          return true;
        });
  }

  @Override
  public List<AuditEntry> audit(int atMost) throws IOException {
    return access.call(
        () -> {
          writes.completePending();
          return writes.log().audit(atMost);
        });
  }

  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    signal.await(atMost);
  }

  @Override
  public void close() {
    signal.close();
    access.close();
  }
}
