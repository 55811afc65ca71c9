package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import dev.redline.testkit.redis.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The store contract over TLS, as an ACL user with only the permissions of docs/redis.md.
 *
 * <p>Skipped if the server on the PATH was built without TLS; the embedded one has it.
 */
class TlsContractTest implements StorageProviderContract {
  private static final String USER =
      "limits on >not-a-secret resetkeys ~rl:* resetchannels -@all +eval +evalsha +script|load"
          + " +get +mget +set +setrange +setnx +hget +hgetall +hset +time +ping +info +hello +client";

  @TempDir static Path folder;

  private static int port;

  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS = RedisExtension.of(TlsContractTest::start);

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE = new SharedRedisStore(TlsContractTest::settings);

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

  private static RedisSettings settings() {
    return RedisSettings.of("rediss://limits:not-a-secret@127.0.0.1:" + port)
        .withCaFile(folder.resolve("redis.crt"));
  }

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }

  @Test
  void reportsWrongPasswordWithoutShowingIt() {
    RedisSettings wrong =
        RedisSettings.of("rediss://limits:wrong-password@127.0.0.1:" + port)
            .withCaFile(folder.resolve("redis.crt"));
    try (RedisStore store = RedisStore.start(wrong)) {
      assertThat(store.awaitReady(Duration.ofMillis(1500))).isFalse();
      assertThat(store.health().up()).isFalse();
      assertThat(store.health().reason().orElseThrow()).contains("WRONGPASS");
      assertThat(store.health().toString() + wrong).doesNotContain("wrong-password");
    }
  }

  @Test
  void reportsUntrustedCertificate() {
    try (RedisStore store =
        RedisStore.start(RedisSettings.of("rediss://limits:not-a-secret@127.0.0.1:" + port))) {
      assertThat(store.awaitReady(Duration.ofMillis(1500))).isFalse();
      assertThat(store.health().reason().orElseThrow()).contains("certif");
    }
  }
}
