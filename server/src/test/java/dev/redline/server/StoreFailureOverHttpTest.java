package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What callers of the service see while Redis fails. */
@Tag("faults")
class StoreFailureOverHttpTest {
  private static final String RULES =
      """
      rules:
        - { id: closed, path: /closed, key: userId, limit: 5/d, onStoreFailure: CLOSED }
        - { id: open, path: /open, key: userId, limit: 5/d, onStoreFailure: OPEN }
        - { id: local, path: /local, key: userId, limit: 4/d }
        - { id: half, path: /half, key: userId, limit: 4/d }
      """;

  private RedisServer redis;

  @BeforeEach
  void startRedis() {
    redis = RedisServer.start(RedisBinary.any());
  }

  @AfterEach
  void stopRedis() {
    redis.close();
  }

  private TestServer start(String... more) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.storage.type", "REDIS");
    properties.put("rl.redis.uri", redis.uri());
    properties.put("rl.redis.command-timeout", "1s");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return TestServer.start(RULES, properties);
  }

  private static HttpResponse<String> check(TestServer server, String path) {
    return server.post("/v1/check", "{\"request\":{\"path\":\"" + path + "\",\"userId\":\"ann\"}}");
  }

  private static String reason(TestServer server, String path) {
    return TestServer.json(check(server, path)).get("reason").asString();
  }

  private static double metric(TestServer server, String line) {
    return server
        .get(server.management("/actuator/prometheus"))
        .body()
        .lines()
        .filter(found -> found.startsWith(line))
        .mapToDouble(found -> Double.parseDouble(found.substring(found.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no metric " + line));
  }

  private static String breaker(TestServer server) {
    return TestServer.json(server.get(server.management("/actuator/health")))
        .get("components")
        .get("redline")
        .get("details")
        .get("breaker")
        .asString();
  }

  @Test
  void failureCountersStartAtZero() throws IOException {
    try (TestServer server = start()) {
      for (String counter : List.of("failclosed", "failopen", "fallback")) {
        for (String why : List.of("rediserror", "badresponse", "badtypes")) {
          String name = "ratelimit_" + counter + "_total{reason=\"" + why + "\"}";
          assertThat(metric(server, name)).isZero();
        }
      }
      assertThat(metric(server, "ratelimit_breaker_state{state=\"closed\",store=\"redis\"}"))
          .isEqualTo(1);
      assertThat(metric(server, "ratelimit_breaker_state{state=\"open\",store=\"redis\"}"))
          .isZero();
      assertThat(breaker(server)).isEqualTo("CLOSED");
    }
  }

  @Test
  void appliesFailureStrategyOfEachRule() throws IOException {
    try (TestServer server = start()) {
      assertThat(reason(server, "/closed")).isEqualTo("ALLOWED");
      redis.kill();

      HttpResponse<String> closed = check(server, "/closed");
      assertThat(closed.statusCode()).isEqualTo(429);
      assertThat(closed.headers().firstValue("Retry-After")).hasValue("1");
      JsonNode decision = TestServer.json(closed);
      assertThat(decision.get("reason").asString()).isEqualTo("FAIL_CLOSED");
      assertThat(decision.get("retryAfterMs").asInt()).isEqualTo(1000);
      assertThat(decision.get("degraded").asBoolean()).isTrue();
      assertThat(metric(server, "ratelimit_failclosed_total{reason=\"rediserror\"}")).isEqualTo(1);

      HttpResponse<String> open = check(server, "/open");
      assertThat(open.statusCode()).isEqualTo(200);
      assertThat(TestServer.json(open).get("reason").asString()).isEqualTo("FAIL_OPEN");
      assertThat(open.headers().firstValue("X-RateLimit-Limit")).isEmpty();
      assertThat(metric(server, "ratelimit_failopen_total{reason=\"rediserror\"}")).isEqualTo(1);

      for (int i = 0; i < 4; i++) {
        assertThat(reason(server, "/local")).isEqualTo("LOCAL_FALLBACK");
      }
      JsonNode denied = TestServer.json(check(server, "/local"));
      assertThat(denied.get("reason").asString()).isEqualTo("LIMIT_EXCEEDED");
      assertThat(denied.get("degraded").asBoolean()).isTrue();
      assertThat(metric(server, "ratelimit_fallback_total{reason=\"rediserror\"}")).isEqualTo(5);
      assertThat(breaker(server)).isIn("OPEN", "HALF_OPEN");
    }
  }

  @Test
  void statusOfFailClosedCanBe503() throws IOException {
    try (TestServer server = start("rl.fail.closed-status", "503")) {
      redis.kill();
      assertThat(check(server, "/closed").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void wrongTypeFailsOnlyItsOwnBucket() throws IOException {
    try (TestServer server = start()) {
      check(server, "/closed");
      String key = ((List<?>) redis.command("KEYS", "rl:b:*")).get(0).toString();
      redis.command("DEL", key);
      redis.command("HSET", key, "field", "value");

      assertThat(reason(server, "/closed")).isEqualTo("FAIL_CLOSED");
      assertThat(metric(server, "ratelimit_failclosed_total{reason=\"badtypes\"}")).isEqualTo(1);
      assertThat(reason(server, "/open")).isEqualTo("ALLOWED");
      assertThat(redis.command("TYPE", key)).isEqualTo("hash");
    }
  }

  @Test
  void keepsDenialsDuringOutageAndRecovers() throws IOException {
    try (TestServer server = start("rl.fail.local-share", "0.5")) {
      for (int i = 0; i < 4; i++) {
        assertThat(reason(server, "/local")).isEqualTo("ALLOWED");
      }
      assertThat(reason(server, "/local")).isEqualTo("LIMIT_EXCEEDED");
      redis.kill();

      JsonNode denied = TestServer.json(check(server, "/local"));
      assertThat(denied.get("reason").asString()).isEqualTo("LIMIT_EXCEEDED");
      assertThat(denied.get("limit").asInt()).isEqualTo(4);
      JsonNode shared = TestServer.json(check(server, "/half"));
      assertThat(shared.get("reason").asString()).isEqualTo("LOCAL_FALLBACK");
      assertThat(shared.get("limit").asInt()).isEqualTo(2);

      redis.restart();
      await().atMost(Duration.ofSeconds(20)).until(() -> reason(server, "/open").equals("ALLOWED"));
      await().atMost(Duration.ofSeconds(20)).until(() -> breaker(server).equals("CLOSED"));
    }
  }

  @Test
  void countsMalformedRepliesByKind() throws IOException {
    try (FaultProxy proxy = FaultProxy.to(redis);
        TestServer server = start("rl.redis.uri", proxy.uri())) {
      proxy.replyInstead("*1\r\n:1\r\n");
      assertThat(reason(server, "/closed")).isEqualTo("FAIL_CLOSED");
      assertThat(metric(server, "ratelimit_failclosed_total{reason=\"badresponse\"}")).isEqualTo(1);

      proxy.replyInstead("*2\r\n$2\r\nhi\r\n:1\r\n");
      assertThat(reason(server, "/closed")).isEqualTo("FAIL_CLOSED");
      assertThat(metric(server, "ratelimit_failclosed_total{reason=\"badtypes\"}")).isEqualTo(1);

      proxy.replyInstead(null);
      assertThat(reason(server, "/closed")).isIn("ALLOWED", "LIMIT_EXCEEDED");
    }
  }
}
