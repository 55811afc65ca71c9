package dev.redline.redis.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.redis.RedisConnectionSettings;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisSentinel;
import dev.redline.testkit.redis.RedisServer;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.NettyCustomizer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class RedisClientsTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @RegisterExtension
  static final RedisExtension<RedisSentinel> SENTINEL = RedisExtension.sentinel();

  @RegisterExtension static final RedisExtension<RedisCluster> CLUSTER = RedisExtension.cluster();

  private static RedisClients clients(String uri, String... clusterNodes) {
    return new RedisClients(
        new RedisConnectionSettings(
            uri, List.of(clusterNodes), Optional.empty(), Duration.ofSeconds(2)),
        new ClientTuning(
            TimeoutOptions.enabled(Duration.ofSeconds(2)),
            Duration.ofMillis(100),
            DisconnectedBehavior.REJECT_COMMANDS,
            new NettyCustomizer() {}));
  }

  private static String address(String uri) {
    return uri.substring(uri.indexOf("://") + 3);
  }

  @Test
  void connectsToStandaloneServer() throws Exception {
    try (RedisClients clients = clients(REDIS.get().uri())) {
      StatefulConnection<String, String> connection = clients.connect(StringCodec.UTF8);

      assertThat(connection).isInstanceOf(StatefulRedisConnection.class);
      assertThat(clients.topology()).isEqualTo("standalone");
      assertThat(clients.clusterClient()).isNull();
      assertThat(
              clients
                  .reconnect(StringCodec.UTF8)
                  .toCompletableFuture()
                  .get(10, TimeUnit.SECONDS)
                  .sync()
                  .ping())
          .isEqualTo("PONG");
    }
  }

  @Test
  void connectsToMasterThatSentinelNames() {
    try (RedisClients clients = clients(SENTINEL.get().uri())) {
      StatefulConnection<String, String> connection = clients.connect(StringCodec.UTF8);

      assertThat(((StatefulRedisConnection<String, String>) connection).sync().set("k", "v"))
          .isEqualTo("OK");
      assertThat(clients.topology()).isEqualTo("sentinel");
    }
  }

  @Test
  void detectsClusterAndConnectsToItAgain() {
    try (RedisClients clients = clients(CLUSTER.get().uri())) {
      assertThat(clients.connect(StringCodec.UTF8))
          .isInstanceOf(StatefulRedisClusterConnection.class);
      assertThat(clients.connect(StringCodec.UTF8))
          .isInstanceOf(StatefulRedisClusterConnection.class);
      assertThat(clients.topology()).isEqualTo("cluster");
      assertThat(clients.connectPubSub(StringCodec.UTF8).sync().ping()).isEqualTo("PONG");
    }
  }

  @Test
  void connectsToFirstNodeThatAcceptsConnection() {
    String unused = "redis://127.0.0.1:" + RedisServer.freePort();
    try (RedisClients clients = clients(unused, address(CLUSTER.get().uri()))) {
      assertThat(clients.connect(StringCodec.UTF8))
          .isInstanceOf(StatefulRedisClusterConnection.class);
    }
    try (RedisClients clients = clients(unused, address(REDIS.get().uri()))) {
      assertThat(clients.connect(StringCodec.UTF8)).isInstanceOf(StatefulRedisConnection.class);
      assertThat(clients.connectPubSub(StringCodec.UTF8).sync().ping()).isEqualTo("PONG");
    }
  }

  @Test
  void failsWhenNoNodeAcceptsConnection() {
    try (RedisClients clients = clients("redis://127.0.0.1:" + RedisServer.freePort())) {
      assertThatThrownBy(() -> clients.connect(StringCodec.UTF8))
          .isInstanceOf(RedisConnectionException.class);
    }
  }

  @Test
  void stopsItsThreadsWhenClosed() {
    Thread[] before = timers();
    RedisClients clients = clients(REDIS.get().uri());
    clients.connect(StringCodec.UTF8);
    assertThat(timers()).hasSizeGreaterThan(before.length);

    clients.close();

    assertThat(timers()).hasSizeLessThanOrEqualTo(before.length);
  }

  private static Thread[] timers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("redline-redis-timer"))
        .toArray(Thread[]::new);
  }
}
