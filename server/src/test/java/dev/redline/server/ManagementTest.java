package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ManagementTest {
  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        TestServer.start(
            "version: 4\nrules: [{ id: per-ip, path: /api/**, key: ip, limit: 1/d }]\n",
            Map.of("rl.identity.digest-secret", "s3cret"));
    String body = "{\"request\":{\"path\":\"/api/x\",\"clientIp\":\"192.0.2.1\"}}";
    server.post("/v1/check", body);
    server.post("/v1/check", body);
    server.post("/v1/check", "{");
    server.post("/nowhere-" + Instant.now().toEpochMilli(), "{}");
    server.post("/v1/check", "{\"request\":{\"path\":\"/elsewhere\"}}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode get(String path) {
    HttpResponse<String> response = server.get(server.management(path));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.json(response);
  }

  @Test
  void healthShowsStoreAndRules() {
    JsonNode health = get("/actuator/health");

    assertThat(health.get("status").asString()).isEqualTo("UP");
    JsonNode redline = health.get("components").get("redline");
    assertThat(redline.get("status").asString()).isEqualTo("UP");
    JsonNode details = redline.get("details");
    assertThat(details.get("degraded").asBoolean()).isFalse();
    assertThat(details.get("store").get("type").asString()).isEqualTo("local");
    assertThat(details.get("store").get("status").asString()).isEqualTo("UP");
    assertThat(details.get("rules").get("version").asInt()).isEqualTo(4);
    assertThat(Instant.parse(details.get("rules").get("loadedAt").asString()))
        .isBetween(Instant.now().minusSeconds(600), Instant.now());
    assertThat(details.get("rules").has("error")).isFalse();
  }

  @Test
  void livenessAndReadinessDoNotDependOnTheStore() {
    for (String group : List.of("liveness", "readiness")) {
      JsonNode health = get("/actuator/health/" + group);
      assertThat(health.get("status").asString()).isEqualTo("UP");
      assertThat(health.toString()).doesNotContain("redline");
    }
  }

  @Test
  void infoShowsTheVersion() {
    assertThat(get("/actuator/info").get("app").get("version").asString())
        .matches("\\d+\\.\\d+\\.\\d+.*");
  }

  @Test
  void redlineEndpointShowsSettingsWithoutSecrets() {
    JsonNode redline = get("/actuator/redline");

    assertThat(redline.get("version").asString()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(redline.get("enabled").asBoolean()).isTrue();
    assertThat(redline.get("rules").get("rules").asInt()).isEqualTo(1);
    assertThat(redline.get("store").get("keys").asInt()).isEqualTo(1);
    assertThat(redline.get("settings").get("rl.storage.type").asString()).isEqualTo("LOCAL");
    assertThat(redline.toString()).doesNotContain("s3cret");
  }

  @Test
  void metricsHaveTheNamesOfTheContract() {
    String metrics = server.get(server.management("/actuator/prometheus")).body();

    assertThat(metrics.lines())
        .contains(
            "ratelimit_requests_total{result=\"allowed\",rule=\"per-ip\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"denied\",rule=\"per-ip\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"none\",ruleset=\"none\"} 1.0",
            "ratelimit_check_seconds_count 3",
            "ratelimit_store_seconds_count{outcome=\"success\",store=\"local\"} 2",
            "ratelimit_failclosed_total{reason=\"rediserror\"} 0.0",
            "ratelimit_failopen_total{reason=\"badresponse\"} 0.0",
            "ratelimit_fallback_total{reason=\"badtypes\"} 0.0",
            "ratelimit_waiting 0.0",
            "ratelimit_rules_version 4.0",
            "ratelimit_store_up{store=\"local\"} 1.0",
            "ratelimit_rules_reload_total{result=\"success\"} 1.0",
            "ratelimit_local_keys 1.0",
            "ratelimit_events_dropped_total 0.0",
            "ratelimit_check_seconds_bucket{le=\"10.0\"} 3");
    assertThat(metrics).doesNotContain("ratelimit_store_seconds_bucket");
    assertThat(metrics).containsPattern("ratelimit_rules_last_success_seconds 1\\.\\d+E9");
  }

  @Test
  void requestsOfBothPortsShareOneMetricWithBoundedTags() {
    get("/actuator/health");
    String metrics = server.get(server.management("/actuator/prometheus")).body();

    List<String> counts =
        metrics
            .lines()
            .filter(line -> line.startsWith("http_server_requests_seconds_count"))
            .toList();

    assertThat(counts)
        .contains(
            "http_server_requests_seconds_count{method=\"POST\",outcome=\"SUCCESS\","
                + "plane=\"data\",status=\"200\",uri=\"/v1/check\"} 2",
            "http_server_requests_seconds_count{method=\"POST\",outcome=\"CLIENT_ERROR\","
                + "plane=\"data\",status=\"429\",uri=\"/v1/check\"} 1",
            "http_server_requests_seconds_count{method=\"POST\",outcome=\"CLIENT_ERROR\","
                + "plane=\"data\",status=\"400\",uri=\"/v1/check\"} 1",
            "http_server_requests_seconds_count{method=\"POST\",outcome=\"CLIENT_ERROR\","
                + "plane=\"data\",status=\"404\",uri=\"UNKNOWN\"} 1");
    assertThat(counts)
        .anyMatch(
            line -> line.contains("plane=\"management\"") && line.contains("/actuator/health"))
        .allMatch(
            line ->
                line.matches(
                    "http_server_requests_seconds_count\\{method=\"[A-Z]+\",outcome=\"[A-Z_]+\","
                        + "plane=\"(data|management)\",status=\"\\d+\",uri=\"[^\"]+\"} \\d+"));
    assertThat(metrics).doesNotContain("nowhere-").doesNotContain("192.0.2.1");
  }

  @Test
  void hidesOtherActuatorEndpoints() {
    for (String path :
        List.of("/actuator/env", "/actuator/beans", "/actuator/heapdump", "/v1/check")) {
      assertThat(server.get(server.management(path)).statusCode()).isEqualTo(404);
    }
  }
}
