package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sample while its Redis ends and comes back. */
@QuarkusTest
@QuarkusTestResource(value = MortalRedis.class, restrictToAnnotatedClass = true)
@Tag("faults")
@Timeout(180)
class QuarkusSampleFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TestHTTPResource URI base;
  RedisServer redis;

  @Test
  void strategyDecidesWhileRedisIsDownAndReadinessStaysUp() {
    awaitDegraded(false);

    redis.kill();
    awaitDegraded(true);
    // By rl.fail.strategy LOCAL the application has the whole limit.
    awaitFiveAllowed();

    redis.restart();
    awaitDegraded(false);
    awaitFiveAllowed();
    assertThat(redis.command("DBSIZE")).isNotEqualTo(0L);
  }

  /** Returns how many of 8 requests of a new user are allowed; a token comes back every 12 s. */
  private int allowed() {
    LoopbackClient client = new LoopbackClient(base);
    String path = "/async?user=" + UUID.randomUUID();
    int allowed = 0;
    for (int i = 0; i < 8; i++) {
      Response response = client.get(path);
      assertThat(response.status()).as(response.toString()).isIn(200, 429);
      allowed += response.status() == 200 ? 1 : 0;
    }
    return allowed;
  }

  /** Waits until the limit is exact: calls of a slow machine may fail, and are decided alone. */
  private void awaitFiveAllowed() {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(allowed()).isEqualTo(5));
  }

  private void awaitDegraded(boolean degraded) {
    LoopbackClient client = new LoopbackClient(base);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              client.get("/work?user=" + UUID.randomUUID());
              Response ready = client.get("/q/health/ready");
              assertThat(ready.status()).as(ready.toString()).isEqualTo(200);
              assertThat(ready.body().replace(" ", ""))
                  .contains("\"degraded\":" + degraded, "\"store.type\":\"redis\"");
            });
  }
}
