package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.TestServer;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class OperationsTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @TempDir Path temporary;

  private static TestServer start(Map<String, String> more) throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.putAll(more);
    return TestServer.start(AdminClient.RULES, properties);
  }

  private static boolean take(TestServer server, String rule, String identity) {
    String body = "{\"ruleId\":\"" + rule + "\",\"identity\":\"" + identity + "\"}";
    return server.post("/v1/check", body).statusCode() == 200;
  }

  private static HttpResponse<String> reset(AdminClient admin, String body) {
    return admin.post("buckets/reset", body);
  }

  @Test
  void resetsBucketsOfCallerRuleOrRuleSet() throws IOException {
    try (TestServer server = start(Map.of())) {
      AdminClient admin = AdminClient.editor(server);
      assertThat(take(server, "per-ip", "192.0.2.1")).isTrue();
      assertThat(take(server, "per-ip", "192.0.2.2")).isTrue();
      while (take(server, "per-user", "u")) {}

      HttpResponse<String> one = reset(admin, "{\"ruleId\":\"per-ip\",\"identity\":\"192.0.2.1\"}");
      assertThat(one.statusCode()).as(one.body()).isEqualTo(200);
      assertThat(take(server, "per-ip", "192.0.2.1")).isTrue();
      assertThat(take(server, "per-ip", "192.0.2.2")).isFalse();

      assertThat(reset(admin, "{\"ruleId\":\"per-ip\"}").statusCode()).isEqualTo(200);
      assertThat(take(server, "per-ip", "192.0.2.2")).isTrue();
      assertThat(take(server, "per-user", "u")).isFalse();

      assertThat(reset(admin, "{\"ruleSetId\":\"orders\"}").statusCode()).isEqualTo(200);
      assertThat(take(server, "per-user", "u")).isTrue();
      assertThat(take(server, "per-ip", "192.0.2.2")).isFalse();
      assertThat(admin.json("rules").get("rules")).hasSize(2);
      assertThat(admin.version()).isEqualTo(4);
      assertThat(admin.json("audit").get(0).get("ruleSetId").asString()).isEqualTo("orders");
      assertThat(admin.json("audit").get(1).get("action").asString()).isEqualTo("reset");
      assertThat(admin.json("audit").get(1).get("ruleId").asString()).isEqualTo("per-ip");
    }
  }

  @Test
  void rejectsInvalidReset() throws IOException {
    try (TestServer server = start(Map.of())) {
      AdminClient admin = AdminClient.editor(server);

      problem(reset(admin, "{\"ruleId\":\"nobody\"}"), 404);
      problem(reset(admin, "{\"ruleSetId\":\"nobody\"}"), 404);
      problem(reset(admin, "{\"ruleId\":\"nobody\",\"identity\":\"x\"}"), 404);
      for (String body :
          List.of(
              "",
              "[]",
              "{}",
              "{\"ruleId\":1}",
              "{\"identity\":\"x\"}",
              "{\"ruleSetId\":\"orders\",\"identity\":\"x\"}",
              "{\"ruleSetId\":\"orders\",\"ruleId\":\"per-ip\"}",
              "{\"ruleId\":\"per-ip\",\"identity\":\"no address\"}",
              "{\"ruleId\":\"per-ip\",\"identity\":{}}",
              "{\"ruleId\":\"per-ip\",\"identity\":{\"a\":1}}",
              "{\"ruleId\":\"per-ip\",\"identity\":[]}",
              "{\"ruleId\":\"per-ip\",\"x\":1}")) {
        problem(reset(admin, body), 400);
      }
      assertThat(admin.json("audit")).isEmpty();
    }
  }

  @Test
  void resetOnRedisReachesTheOtherServer() throws IOException {
    Map<String, String> redis =
        Map.of("rl.storage.type", "REDIS", "rl.redis.uri", REDIS.get().uri());
    try (TestServer one = start(redis);
        TestServer other = start(redis)) {
      AdminClient admin = AdminClient.editor(one);
      assertThat(take(other, "per-ip", "192.0.2.1")).isTrue();
      assertThat(take(other, "per-ip", "192.0.2.1")).isFalse();

      assertThat(reset(admin, "{\"ruleId\":\"per-ip\",\"identity\":\"192.0.2.1\"}").statusCode())
          .isEqualTo(200);
      await().atMost(Duration.ofSeconds(10)).until(() -> take(other, "per-ip", "192.0.2.1"));

      assertThat(take(other, "per-ip", "192.0.2.1")).isFalse();
      assertThat(reset(admin, "{\"ruleSetId\":\"default\"}").statusCode()).isEqualTo(200);
      await().atMost(Duration.ofSeconds(10)).until(() -> take(other, "per-ip", "192.0.2.1"));
    }
  }

  @Test
  void reloadReadsTheFileAtOnce() throws IOException {
    Path file = Files.writeString(temporary.resolve("rules.yaml"), AdminClient.RULES);
    try (TestServer server =
        start(Map.of("rl.config.path", file.toString(), "rl.reload.enabled", "false"))) {
      AdminClient admin = AdminClient.editor(server);
      Files.writeString(file, "rules: [{ id: other, limit: 1/d }]");

      HttpResponse<String> reloaded = admin.post("reload", "");

      assertThat(reloaded.statusCode()).isEqualTo(200);
      assertThat(TestServer.json(reloaded).get("version").asLong()).isEqualTo(5);
      assertThat(admin.json("rules").get("rules").get(0).get("id").asString()).isEqualTo("other");
      assertThat(admin.json("audit").get(0).get("action").asString()).isEqualTo("reload");

      Files.writeString(file, "rules: [{ id: other, lmit: 1/d }]");
      JsonNode broken = TestServer.json(admin.post("reload", ""));
      assertThat(broken.get("version").asLong()).isEqualTo(5);
      assertThat(broken.get("errors").get(0).asString()).contains("did you mean 'limit'?");
    }
  }

  @Test
  void answersThatAnActionTookEffectThoughItIsNotAudited() throws IOException {
    Path data = Files.createDirectories(temporary.resolve("data"));
    try (TestServer server = start(Map.of("rl.data-dir", data.toString()))) {
      AdminClient admin = AdminClient.editor(server);
      JsonNode audited = TestServer.json(reset(admin, "{\"ruleId\":\"per-ip\"}"));
      assertThat(audited.has("audited")).isFalse();
      // A directory in the place of the file: nothing can be written, also not by root.
      Files.delete(data.resolve("rules/audit.log"));
      Files.createDirectory(data.resolve("rules/audit.log"));
      take(server, "per-ip", "192.0.2.1");

      HttpResponse<String> reset = reset(admin, "{\"ruleId\":\"per-ip\"}");
      HttpResponse<String> reloaded = admin.post("reload", "");

      assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
      assertThat(TestServer.json(reset).get("audited").asBoolean()).isFalse();
      assertThat(take(server, "per-ip", "192.0.2.1")).isTrue();
      assertThat(reloaded.statusCode()).as(reloaded.body()).isEqualTo(200);
      assertThat(TestServer.json(reloaded).get("audited").asBoolean()).isFalse();
    }
  }

  private static double lastSuccess(TestServer server) {
    String name = "ratelimit_rules_last_success_seconds ";
    return server
        .get(server.management("/actuator/prometheus"))
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void lastSuccessChangesOnlyWithSuccessfulReloads() throws IOException {
    Path file = Files.writeString(temporary.resolve("rules.yaml"), AdminClient.RULES);
    try (TestServer server =
        start(Map.of("rl.config.path", file.toString(), "rl.reload.enabled", "false"))) {
      AdminClient admin = AdminClient.editor(server);
      double first = lastSuccess(server);

      await()
          .until(
              () -> {
                admin.post("reload", "");
                return lastSuccess(server) > first;
              });

      Files.writeString(file, "rules: [{ id: other, lmit: 1/d }]");
      admin.post("reload", "");
      double last = lastSuccess(server);
      await()
          .during(Duration.ofMillis(1200))
          .until(
              () -> {
                admin.post("reload", "");
                return lastSuccess(server) == last;
              });
    }
  }

  @Test
  void statsCountDecisionsPerRule() throws IOException {
    try (TestServer server = start(Map.of())) {
      take(server, "per-ip", "192.0.2.1");
      take(server, "per-ip", "192.0.2.1");

      JsonNode stats = AdminClient.viewer(server).json("stats");

      assertThat(stats.get("version").asLong()).isEqualTo(4);
      assertThat(stats.get("store").get("type").asString()).isEqualTo("local");
      Map<String, JsonNode> rules = new HashMap<>();
      stats.get("rules").forEach(rule -> rules.put(rule.get("ruleId").asString(), rule));
      assertThat(rules.get("per-ip").get("allowed").asLong()).isEqualTo(1);
      assertThat(rules.get("per-ip").get("denied").asLong()).isEqualTo(1);
      assertThat(rules.get("per-user").get("ruleSetId").asString()).isEqualTo("orders");
      assertThat(rules.get("per-user").get("allowed").asLong()).isZero();
    }
  }

  @Test
  void bothPortsShowTheDocumentAndHonourIfNoneMatch() throws IOException {
    try (TestServer server = start(Map.of())) {
      AdminClient viewer = AdminClient.viewer(server);
      List<URI> both = List.of(server.uri("/v1/rules"), server.management("/v1/rules"));
      for (URI uri : both) {
        HttpResponse<String> shown = server.send(viewer.request(uri));
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.headers().firstValue("Content-Type")).hasValue("application/json");
        JsonNode document = TestServer.json(shown);
        assertThat(document.get("version").asInt()).isEqualTo(4);
        assertThat(document.get("plans").get(0).get("id").asString()).isEqualTo("gold");
        assertThat(document.get("rules").get(0).get("id").asString()).isEqualTo("per-ip");
        assertThat(document.get("ruleSets").get(0).get("id").asString()).isEqualTo("orders");

        String etag = shown.headers().firstValue("ETag").orElseThrow();
        for (String known : List.of(etag, "W/" + etag, "\"x\", " + etag, "*")) {
          HttpResponse<String> same =
              server.send(viewer.request(uri).header("If-None-Match", known));
          assertThat(same.statusCode()).isEqualTo(304);
          assertThat(same.body()).isEmpty();
          assertThat(same.headers().firstValue("ETag")).hasValue(etag);
        }
        assertThat(
                server
                    .send(viewer.request(uri).method("HEAD", HttpRequest.BodyPublishers.noBody()))
                    .statusCode())
            .isEqualTo(200);
        problem(
            server.send(viewer.request(uri).POST(HttpRequest.BodyPublishers.ofString("{}"))),
            uri.getPort() == server.uri("/").getPort() ? 405 : 403);
      }
      HttpResponse<String> data = server.send(viewer.request(both.get(0)));
      HttpResponse<String> management = server.send(viewer.request(both.get(1)));
      assertThat(data.body()).isEqualTo(management.body());
      assertThat(data.headers().firstValue("ETag"))
          .isEqualTo(management.headers().firstValue("ETag"));

      AdminClient.editor(server).post("rules", "{\"id\":\"new\",\"limit\":\"1/d\"}");
      HttpResponse<String> changed =
          server.send(
              viewer
                  .request(both.get(0))
                  .header("If-None-Match", data.headers().firstValue("ETag").orElseThrow()));
      assertThat(changed.statusCode()).isEqualTo(200);
      assertThat(changed.body()).contains("\"id\":\"new\"");
    }
  }
}
