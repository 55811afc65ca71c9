package dev.redline.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisSentinel;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisRuleRepositoryTest {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final Instant NOW = Instant.ofEpochMilli(1_763_230_000_123L);

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @RegisterExtension
  static final RedisExtension<RedisSentinel> SENTINEL = RedisExtension.sentinel();

  @RegisterExtension static final RedisExtension<RedisCluster> CLUSTER = RedisExtension.cluster();

  private final RedisRuleRepository repository = repository(REDIS.get().uri());
  private final RedisRuleRepository other = repository(REDIS.get().uri());

  @BeforeEach
  void empty() {
    REDIS.get().command("FLUSHALL");
  }

  @AfterEach
  void close() {
    repository.close();
    other.close();
  }

  private static RedisRuleRepository repository(String uri) {
    return new RedisRuleRepository(RedisConnectionSettings.of(uri), "rl");
  }

  private static Revision revision(long version, String document) {
    return new Revision(version, document, NOW, "ci", "a change: ü {} 3:x");
  }

  private static AuditEntry entry(String action) {
    return new AuditEntry(
        NOW, "ci", action, Optional.of("per-ip"), Optional.empty(), Optional.of("{}"));
  }

  private static boolean write(RedisRuleRepository to, long expected, String document)
      throws IOException {
    return to.write(expected, revision(expected + 1, document), entry("update"));
  }

  static Stream<String> topologies() {
    return Stream.of(REDIS.get().uri(), SENTINEL.get().uri(), CLUSTER.get().uri());
  }

  @ParameterizedTest
  @MethodSource("topologies")
  void notifiesAndShowsOtherRepositoriesWhatWasWritten(String uri) throws IOException {
    try (RedisRuleRepository writer = repository(uri);
        RedisRuleRepository reader = repository(uri);
        ChangeCounter notified = ChangeCounter.of(reader)) {
      assertThat(reader.load()).isEmpty();
      assertThat(reader.newest()).isEmpty();
      assertThat(reader.revisions(10)).isEmpty();
      await().atMost(SOON).until(() -> notified.get() > 0);
      int before = notified.get();

      assertThat(write(writer, 0, "rules: []  # ü")).isTrue();

      await().atMost(SOON).until(() -> notified.get() > before);
      assertThat(reader.newest()).hasValue(revision(1, "rules: []  # ü"));
      assertThat(reader.load().orElseThrow().documents())
          .singleElement()
          .satisfies(document -> assertThat(document.content()).isEqualTo("rules: []  # ü"));
      assertThat(reader.audit(10)).containsExactly(entry("update"));
    }
  }

  @Test
  void rejectsWriteBasedOnOldRevision() throws IOException {
    assertThat(write(repository, 0, "a")).isTrue();
    assertThat(write(repository, 1, "b")).isTrue();
    assertThat(write(other, 1, "c")).isFalse();
    assertThat(write(other, 0, "d")).isFalse();

    assertThat(other.newest()).hasValue(revision(2, "b"));
    assertThat(other.audit(10)).hasSize(2);
    assertThatThrownBy(() -> repository.write(5, revision(5, "x"), entry("update")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsAuditEntriesOfEarlierAndLaterVersions() throws IOException {
    String at = Long.toString(NOW.toEpochMilli());
    List<String> earlier = List.of(at, "ci", "update", "=per-ip", "", "={}");
    List<String> later =
        Stream.concat(earlier.stream(), Stream.of("=api", "=7", "unknown yet")).toList();
    REDIS
        .get()
        .command(
            "RPUSH",
            "rl:m:{rules}:audit",
            LengthPrefixedText.join(earlier),
            LengthPrefixedText.join(later));

    assertThat(repository.audit(10))
        .containsExactly(
            entry("update"),
            new AuditEntry(
                NOW,
                "ci",
                "update",
                Optional.of("per-ip"),
                Optional.of("api"),
                Optional.of(7L),
                Optional.empty(),
                Optional.of("{}")));
  }

  @Test
  void keepsBoundedHistoryByteForByte() throws IOException {
    for (int i = 0; i < 105; i++) {
      assertThat(write(repository, i, "{ \"n\": " + i + " }\n")).isTrue();
    }
    for (int i = 0; i < 1000; i++) {
      repository.note(entry("reset"));
    }

    assertThat(other.revisions(3).stream().map(Revision::version))
        .containsExactly(105L, 104L, 103L);
    assertThat(other.revision(103)).hasValue(revision(103, "{ \"n\": 102 }\n"));
    assertThat(other.revisions(1000)).hasSize(100);
    assertThat(other.revision(5)).isEmpty();
    assertThat(other.audit(5000)).hasSize(1000);
    assertThat(REDIS.get().command("HLEN", "rl:m:{rules}:revisions")).isEqualTo(100L);
  }

  @Test
  void equalDocumentHasSameContentVersion() throws IOException {
    write(repository, 0, "rules: []");
    String version = repository.load().orElseThrow().version();
    write(repository, 1, "rules: []");

    assertThat(repository.load().orElseThrow().version()).isEqualTo(version);
  }

  @Test
  void ignoresMalformedNotices() throws IOException {
    try (ChangeCounter notified = ChangeCounter.of(repository)) {
      await().atMost(SOON).until(() -> notified.get() == 1);

      for (String notice : List.of("", "nonsense", "-1", "{}", "9".repeat(4000))) {
        REDIS.get().command("PUBLISH", "rl:m:{rules}:changed", notice);
      }
      REDIS.get().command("PUBLISH", "rl:m:{rules}:changed", "7");

      await().atMost(SOON).until(() -> notified.get() > 1);
      assertThat(notified.get()).isEqualTo(2);
    }
  }

  @Test
  void reportsMalformedValue() {
    REDIS.get().command("SET", "rl:m:{rules}:newest", "1");
    REDIS.get().command("HSET", "rl:m:{rules}:revisions", "1", "5:abc");

    assertThatThrownBy(repository::load)
        .isInstanceOf(IOException.class)
        .hasMessage("Redis rl:m:{rules}: holds a value that was not written by Redline");
  }

  @Tag("faults")
  @Test
  void subscriberCatchesUpAfterDisconnect() throws IOException {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisRuleRepository subscriber = repository(proxy.uri());
        ChangeCounter notified = ChangeCounter.of(subscriber)) {
      await().atMost(SOON).until(() -> notified.get() == 1);
      proxy.stall();
      write(repository, 0, "rules: []");
      proxy.resetConnections();
      proxy.resume();

      await().atMost(SOON).until(() -> notified.get() > 1);
      await()
          .atMost(SOON)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> subscriber.newest().isPresent());
    }
  }

  @Tag("faults")
  @Test
  void connectsToRedisThatStartsLaterOrRestarts() throws IOException {
    RedisServer server = RedisServer.start(RedisBinary.any());
    try (server;
        RedisRuleRepository subscriber = repository(server.uri())) {
      server.kill();
      assertThatThrownBy(subscriber::load)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("Redis rl:m:{rules}: ");

      try (ChangeCounter notified = ChangeCounter.of(subscriber)) {
        server.restart();
        await().atMost(SOON).until(() -> notified.get() > 0);
      }
      await()
          .atMost(SOON)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> write(subscriber, 0, "rules: []"));

      server.kill();
      server.restart();
      await()
          .atMost(SOON)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> subscriber.newest().isEmpty());
    }
  }
}
