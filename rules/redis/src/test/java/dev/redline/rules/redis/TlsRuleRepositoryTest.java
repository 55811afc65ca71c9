package dev.redline.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import dev.redline.testkit.redis.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Over TLS, as an ACL user with only the permissions that the repository needs. */
class TlsRuleRepositoryTest {
  private static final String USER =
      "rules on >not-a-secret resetkeys ~rl:* resetchannels &rl:* -@all +eval +get +set +hget +hset"
          + " +hmget +hdel +llen +lpush +lrange +ltrim +rpop +publish +subscribe +ping +info +hello"
          + " +client";

  @TempDir static Path folder;

  private static int port;

  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS = RedisExtension.of(TlsRuleRepositoryTest::start);

  private static RedisServer start() {
    port = RedisServer.freePort();
    List<String> arguments = new ArrayList<>(TlsFiles.create(folder).arguments(port));
    arguments.add("--user");
    arguments.addAll(Arrays.asList(USER.split(" ")));
    arguments.addAll(List.of("--user", "default", "off"));
    try {
      return RedisServer.start(RedisBinary.any(), arguments.toArray(new String[0]));
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).contains("'tls-port")) {
        return Assumptions.abort("left out: this redis-server was built without TLS");
      }
      throw e;
    }
  }

  private static RedisRuleRepository repository(String password) {
    return new RedisRuleRepository(
        RedisConnectionSettings.of("rediss://rules:" + password + "@127.0.0.1:" + port)
            .withCaFile(folder.resolve("redis.crt")),
        "rl");
  }

  @Test
  void writesReadsAndNotifiesOverTls() throws IOException {
    Instant now = Instant.ofEpochMilli(1);
    Revision revision = new Revision(1, "rules: []", now, "ci", "first");
    AuditEntry entry =
        new AuditEntry(now, "ci", "create", Optional.empty(), Optional.empty(), Optional.empty());
    try (RedisRuleRepository repository = repository("not-a-secret");
        ChangeCounter notified = ChangeCounter.of(repository)) {
      await().atMost(Duration.ofSeconds(15)).until(() -> notified.get() == 1);

      assertThat(repository.write(0, revision, entry)).isTrue();

      await().atMost(Duration.ofSeconds(15)).until(() -> notified.get() == 2);
      assertThat(repository.revisions(5)).containsExactly(revision);
      assertThat(repository.audit(5)).containsExactly(entry);
    }
  }

  @Test
  void reportsWrongPasswordWithoutShowingIt() {
    try (RedisRuleRepository repository = repository("wrong-password")) {
      assertThatThrownBy(repository::load)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("WRONGPASS")
          .message()
          .doesNotContain("wrong-password");
    }
  }
}
