package dev.redline.samples.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.samples.jakarta.server.JakartaSampleServer;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sample with a Redis that ends. */
@Tag("faults")
@Timeout(180)
class JakartaSampleFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer redis = RedisServer.start(RedisBinary.any());
  private JakartaSampleServer server;
  private LoopbackClient client;

  private void start(String strategy) throws IOException {
    System.setProperty("rl.storage.type", "REDIS");
    System.setProperty("rl.redis.uri", redis.uri());
    System.setProperty("rl.fail.strategy", strategy);
    server = JakartaSampleServer.start(0);
    client = new LoopbackClient(URI.create("http://127.0.0.1:" + server.port()));
  }

  @AfterEach
  void stop() {
    server.close();
    redis.close();
    for (String name : List.of("rl.storage.type", "rl.redis.uri", "rl.fail.strategy")) {
      System.clearProperty(name);
    }
  }

  /** Returns the statuses of seven requests of one new user, whose limit is 5. */
  private List<Integer> statuses() {
    String path = "/work?user=" + UUID.randomUUID();
    return IntStream.range(0, 7).mapToObj(i -> client.get(path).status()).toList();
  }

  private void awaitStatuses(Integer... expected) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(statuses()).containsExactly(expected));
  }

  private void awaitLimited() {
    awaitStatuses(200, 200, 200, 200, 200, 429, 429);
  }

  @Test
  void closedDeniesWhileRedisIsDown() throws IOException {
    start("CLOSED");
    awaitLimited();
    redis.kill();
    awaitStatuses(429, 429, 429, 429, 429, 429, 429);
    redis.restart();
    awaitLimited();
  }

  @Test
  void localKeepsTheLimitWhileRedisIsDown() throws IOException {
    start("LOCAL");
    awaitLimited();
    redis.kill();
    assertThat(redis.isAlive()).isFalse();
    awaitLimited();
    redis.restart();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              statuses();
              assertThat((List<?>) redis.command("KEYS", "rl:b:*")).isNotEmpty();
            });
    awaitLimited();
  }

  @Test
  void openAllowsWhileRedisIsDown() throws IOException {
    start("OPEN");
    awaitLimited();
    redis.kill();
    awaitStatuses(200, 200, 200, 200, 200, 200, 200);
    redis.restart();
    awaitLimited();
  }
}
