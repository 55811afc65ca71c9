package dev.redline.rules.redis;

import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.RuleRepository;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.redis.internal.ChangeNotices;
import dev.redline.redis.internal.RuleConnections;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A rule document in Redis, standalone, Sentinel or Cluster: the latest 100 revisions and the
 * latest 1,000 audit entries. A write publishes a notice; {@link #awaitChange} subscribes to
 * notices, and also returns after each reconnect, since it may have missed some.
 *
 * <p>All keys start with {@code <prefix>:m:{rules}:}, so they share a cluster slot and a write is
 * one script. A write succeeds only on the expected revision (compare and set). Connects on first
 * use. Thread-safe.
 */
public final class RedisRuleRepository implements RuleRepository {
  private static final int MAX_REVISIONS = 100;
  private static final int MAX_AUDIT = 1000;
  private static final int REVISION_FIELDS = 5;
  private static final int AUDIT_FIELDS = 6;
  private static final String WRITE = script("write.lua");

  private final RuleConnections access;
  private final String keyPrefix;
  private final String prefix;
  private final ChangeNotices notices;

  /**
   * Creates a repository; nothing is connected yet.
   *
   * @param keyPrefix the prefix of all keys
   */
  public RedisRuleRepository(RedisConnectionSettings connection, String keyPrefix) {
    this.access = new RuleConnections(connection);
    this.keyPrefix = keyPrefix;
    this.prefix = keyPrefix + ":m:{rules}";
    this.notices = new ChangeNotices(access, keyPrefix);
  }

  private String key(String name) {
    return prefix + ":" + name;
  }

  @Override
  public String name() {
    return "Redis " + prefix;
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    return newest()
        .map(
            revision ->
                new Snapshot(
                    // As the version: writing an equal document again is not a change.
                    Sha256.hex(revision.document()),
                    List.of(new Document(name(), revision.document()))));
  }

  @Override
  public Optional<Revision> newest() throws IOException {
    return execute(
        redis -> {
          String number = redis.get(key("newest"));
          return number == null ? Optional.empty() : revision(redis, number);
        });
  }

  @Override
  public Optional<Revision> revision(long version) throws IOException {
    return execute(redis -> revision(redis, Long.toString(version)));
  }

  private Optional<Revision> revision(RedisClusterCommands<String, String> redis, String number)
      throws IOException {
    String text = redis.hget(key("revisions"), number);
    return text == null ? Optional.empty() : Optional.of(parseRevision(text));
  }

  @Override
  public List<Revision> revisions(int atMost) throws IOException {
    return execute(
        redis -> {
          List<String> numbers = redis.lrange(key("numbers"), 0, atMost - 1L);
          List<Revision> revisions = new ArrayList<>();
          if (atMost > 0 && !numbers.isEmpty()) {
            for (KeyValue<String, String> entry :
                redis.hmget(key("revisions"), numbers.toArray(new String[0]))) {
              if (entry.hasValue()) {
                revisions.add(parseRevision(entry.getValue()));
              }
            }
          }
          return revisions;
        });
  }

  /** {@inheritDoc} Reads one revision at a time. */
  @Override
  public List<RevisionHeader> headers(int atMost) throws IOException {
    return execute(
        redis -> {
          List<RevisionHeader> headers = new ArrayList<>();
          if (atMost > 0) {
            for (String number : redis.lrange(key("numbers"), 0, atMost - 1L)) {
              revision(redis, number).map(RevisionHeader::of).ifPresent(headers::add);
            }
          }
          return headers;
        });
  }

  @Override
  public boolean write(long expected, Revision next, AuditEntry entry) throws IOException {
    if (next.version() <= expected) {
      throw new IllegalArgumentException(
          "revision " + next.version() + " cannot follow revision " + expected);
    }
    String[] keys = {key("newest"), key("revisions"), key("numbers"), key("audit")};
    return execute(
        redis -> {
          Long written =
              redis.eval(
                  WRITE,
                  ScriptOutputType.INTEGER,
                  keys,
                  Long.toString(expected),
                  Long.toString(next.version()),
                  text(next),
                  text(entry),
                  Integer.toString(MAX_REVISIONS),
                  Integer.toString(MAX_AUDIT),
                  ChangeNotices.channel(keyPrefix));
          return Objects.equals(written, 1L);
        });
  }

  @Override
  public void note(AuditEntry entry) throws IOException {
    execute(
        redis -> {
          redis.lpush(key("audit"), text(entry));
          return redis.ltrim(key("audit"), 0, MAX_AUDIT - 1L);
        });
  }

  @Override
  public List<AuditEntry> audit(int atMost) throws IOException {
    return execute(
        redis -> {
          List<AuditEntry> entries = new ArrayList<>();
          if (atMost > 0) {
            for (String text : redis.lrange(key("audit"), 0, atMost - 1L)) {
              entries.add(parseEntry(text));
            }
          }
          return entries;
        });
  }

  /** A command, or several that belong together. */
  private interface Command<T> {
    T execute(RedisClusterCommands<String, String> redis) throws IOException;
  }

  private <T> T execute(Command<T> command) throws IOException {
    try {
      return command.execute(access.commands());
    } catch (RedisException e) {
      access.drop();
      // After a failover, the old server publishes no more notices.
      notices.drop();
      throw new IOException(name() + ": " + reason(e), e);
    } catch (IOException e) {
      throw new IOException(name() + ": " + e.getMessage(), e);
    }
  }

  /** Returns the messages of the failure and of its root cause, such as a wrong password. */
  private static String reason(RedisException failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String what = String.valueOf(failure.getMessage());
    String why = String.valueOf(root.getMessage());
    return what.contains(why) ? what : what + ": " + why;
  }

  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    try {
      notices.await(atMost);
    } catch (RedisException e) {
      access.drop();
      throw new IOException(name() + ": " + reason(e), e);
    }
  }

  @Override
  public void close() {
    notices.close();
    access.close();
  }

  private static String text(Revision revision) {
    return LengthPrefixedText.join(
        List.of(
            Long.toString(revision.version()),
            Long.toString(revision.at().toEpochMilli()),
            revision.by(),
            revision.summary(),
            revision.document()));
  }

  private static Revision parseRevision(String text) throws IOException {
    List<String> fields = LengthPrefixedText.split(text, REVISION_FIELDS);
    return new Revision(
        number(fields.get(0)),
        fields.get(4),
        Instant.ofEpochMilli(number(fields.get(1))),
        fields.get(2),
        fields.get(3));
  }

  private static String text(AuditEntry entry) {
    return LengthPrefixedText.join(
        List.of(
            Long.toString(entry.at().toEpochMilli()),
            entry.by(),
            entry.action(),
            optional(entry.ruleId()),
            optional(entry.before()),
            optional(entry.after()),
            optional(entry.ruleSetId()),
            optional(entry.version().map(String::valueOf))));
  }

  private static AuditEntry parseEntry(String text) throws IOException {
    List<String> fields = LengthPrefixedText.split(text, AUDIT_FIELDS);
    // Entries of earlier versions lack the rule set and the version.
    Optional<String> ruleSetId = fields.size() > 6 ? optional(fields.get(6)) : Optional.empty();
    Optional<String> version = fields.size() > 7 ? optional(fields.get(7)) : Optional.empty();
    return new AuditEntry(
        Instant.ofEpochMilli(number(fields.get(0))),
        fields.get(1),
        fields.get(2),
        optional(fields.get(3)),
        ruleSetId,
        version.isPresent() ? Optional.of(number(version.get())) : Optional.empty(),
        optional(fields.get(4)),
        optional(fields.get(5)));
  }

  /** Encodes an optional text: an empty field stands for none, and {@code =} for an empty text. */
  private static String optional(Optional<String> text) {
    return text.map(value -> "=" + value).orElse("");
  }

  private static Optional<String> optional(String field) {
    return field.isEmpty() ? Optional.empty() : Optional.of(field.substring(1));
  }

  private static long number(String text) throws IOException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IOException("holds a value that was not written by Redline", e);
    }
  }

  private static String script(String name) {
    try (InputStream in = RedisRuleRepository.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read", e);
    }
  }
}
