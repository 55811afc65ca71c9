package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.server.wiring.StartupFailure;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** The service with {@code rl.storage.type=REDIS}. */
class RedisTest {
  private static final String RULES =
      """
      rules:
        - { id: per-user, path: /api/**, key: userId, limit: 3/d }
        - { id: per-key, path: /keys/**, key: apiKey, limit: 3/d }
        - { id: strict, path: /strict/**, key: userId, limit: 3/d, onStoreFailure: CLOSED }
      """;

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static TestServer start(RedisServer redis, String... more) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.storage.type", "REDIS");
    properties.put("rl.redis.uri", redis.uri());
    properties.put("rl.redis.command-timeout", "2s");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return TestServer.start(RULES, properties);
  }

  private static String by(String user) {
    return "{\"request\":{\"path\":\"/api/x\",\"userId\":\"" + user + "\"}}";
  }

  private static JsonNode health(TestServer server) {
    return TestServer.json(server.get(server.management("/actuator/health")))
        .get("components")
        .get("redline")
        .get("details");
  }

  @Test
  void twoServersShareOneLimit() throws IOException {
    try (TestServer one = start(REDIS.get());
        TestServer other = start(REDIS.get())) {
      assertThat(one.ask("/v1/check", by("ann")).get("remaining").asInt()).isEqualTo(2);
      assertThat(other.ask("/v1/check", by("ann")).get("remaining").asInt()).isEqualTo(1);
      assertThat(one.ask("/v1/check", by("ann")).get("remaining").asInt()).isZero();
      assertThat(other.post("/v1/check", by("ann")).statusCode()).isEqualTo(429);
      assertThat(one.post("/v1/check", by("ann")).statusCode()).isEqualTo(429);
      assertThat(one.post("/v1/check", by("bob")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void dryRunAndExplainTakeNoTokens() throws IOException {
    try (TestServer server = start(REDIS.get())) {
      String dry = by("cat").replaceFirst("\\{", "{\"dryRun\":true,");
      for (int i = 0; i < 5; i++) {
        assertThat(server.ask("/v1/check", dry).get("remaining").asInt()).isEqualTo(2);
      }
      JsonNode explained = server.ask("/v1/explain", by("cat"));
      JsonNode band = explained.get("rules").get(1).get("bands");
      assertThat(explained.get("decision").get("allowed").asBoolean()).isTrue();
      assertThat(band.get(0).get("remaining").asInt()).isEqualTo(3);
    }
  }

  @Test
  void redisHoldsApiKeysOnlyAsDigests() throws IOException {
    try (TestServer server = start(REDIS.get())) {
      server.post(
          "/v1/check", "{\"request\":{\"path\":\"/keys/x\",\"apiKey\":\"top-secret-key\"}}");
      assertThat((List<?>) REDIS.get().command("KEYS", "*"))
          .anySatisfy(key -> assertThat(key.toString()).startsWith("rl:b:").contains("per-key"))
          .noneSatisfy(key -> assertThat(key.toString()).contains("top-secret-key"));
    }
  }

  @Test
  void healthShowsTopologyLatencyAndWarnings() throws IOException {
    try (RedisServer redis =
            RedisServer.start(RedisBinary.any(), "--maxmemory-policy", "allkeys-lru");
        TestServer server = start(redis)) {
      JsonNode store = health(server).get("store");
      assertThat(store.get("type").asString()).isEqualTo("redis");
      assertThat(store.get("status").asString()).isEqualTo("UP");
      assertThat(store.get("topology").asString()).isEqualTo("standalone");
      assertThat(store.get("latencyMs").asDouble()).isPositive();
      assertThat(store.get("warning").asString()).contains("allkeys-lru").contains("noeviction");
      assertThat(health(server).get("degraded").asBoolean()).isFalse();
    }
  }

  @Tag("faults")
  @Test
  void startsWithoutRedisAndConnectsLater() throws IOException {
    RedisServer redis = RedisServer.start(RedisBinary.any());
    redis.kill();
    try (redis;
        TestServer server = start(redis, "rl.redis.connect-timeout", "200ms")) {
      JsonNode alone = server.ask("/v1/check", by("dan"));
      assertThat(alone.get("reason").asString()).isEqualTo("LOCAL_FALLBACK");
      assertThat(alone.get("degraded").asBoolean()).isTrue();
      assertThat(server.post("/v1/check", by("dan").replace("/api", "/strict")).statusCode())
          .isEqualTo(429);
      assertThat(health(server).get("degraded").asBoolean()).isTrue();
      assertThat(health(server).get("store").get("status").asString()).isEqualTo("DOWN");
      assertThat(health(server).get("store").get("reason").asString())
          .contains("not connected to Redis");

      redis.restart();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> !server.ask("/v1/check", by("eve")).has("degraded"));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> !health(server).get("degraded").asBoolean());
    }
  }

  @Test
  void rejectsInvalidUriWithoutShowingItsPassword() {
    assertThatThrownBy(
            () ->
                TestServer.start(
                    RULES,
                    Map.of(
                        "rl.storage.type", "REDIS",
                        "rl.redis.uri", "reddis://user:hush@host:1")))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.redis.uri")
        .hasMessageContaining("rediss://")
        .hasMessageNotContaining("hush");
  }
}
