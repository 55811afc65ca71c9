package dev.redline.samples.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three instances, one limit, and a Redis that ends. */
@Tag("faults")
@Timeout(180)
class RedisSampleFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer redis = RedisServer.start(RedisBinary.any());
  private SampleInstances instances;
  private List<LoopbackClient> clients;

  @BeforeEach
  void start() {
    instances = SampleInstances.start("--server.port=0", "--rl.redis.uri=" + redis.uri());
    clients =
        instances.ports().stream()
            .map(port -> new LoopbackClient(URI.create("http://127.0.0.1:" + port)))
            .toList();
  }

  @AfterEach
  void stop() {
    instances.close();
    redis.close();
  }

  /** Returns how many of 30 simultaneous requests of one new user are allowed by all instances. */
  private int allowed() throws Exception {
    String path = "/work?user=" + UUID.randomUUID();
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<Response>> requests = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        LoopbackClient client = clients.get(i % clients.size());
        requests.add(threads.submit(() -> client.get(path)));
      }
      int allowed = 0;
      for (Future<Response> each : requests) {
        Response response = each.get();
        assertThat(response.status()).as(response.toString()).isIn(200, 429);
        allowed += response.status() == 200 ? 1 : 0;
      }
      return allowed;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Waits until all instances allow a number of requests; a token comes back every 12 s. */
  private void awaitAllowed(int least, int most) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(allowed()).isBetween(least, most));
  }

  private void awaitDegraded(boolean degraded) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(clients)
                    .allSatisfy(
                        client -> {
                          Response health = client.get("/actuator/health");
                          assertThat(health.status()).isEqualTo(200);
                          assertThat(health.body())
                              .contains("\"degraded\":" + degraded, "\"type\":\"redis\"");
                        }));
  }

  @Test
  void instancesShareOneLimitAndDecideAloneWhileRedisIsDown() throws Exception {
    awaitAllowed(5, 5);
    awaitDegraded(false);

    redis.kill();
    // By rl.fail.strategy LOCAL each instance has the whole limit: 15 in all.
    awaitAllowed(15, 15);
    awaitDegraded(true);

    redis.restart();
    awaitAllowed(5, 5);
    awaitDegraded(false);
  }
}
