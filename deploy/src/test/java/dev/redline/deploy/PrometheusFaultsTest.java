package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus that scrapes a real server on a real Redis, which is then killed. */
@Tag("debian")
@Tag("faults")
@Timeout(180)
class PrometheusFaultsTest {
  private static final String RULES =
      """
      version: 3
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: 2/h }
        - { id: strict, path: /pay/**, key: ip, limit: 1000000/h, onStoreFailure: CLOSED }
      """;

  @TempDir Path directory;

  @Test
  void everyQueryReturnsDataAndAlertsFireWhenRedisIsKilled() throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        DeployedServer server = new DeployedServer(directory, RULES, redis.uri());
        PrometheusProcess prometheus = new PrometheusProcess(directory, server.managementPort())) {
      Thread traffic = new Thread(() -> send(server, stopped), "traffic");
      traffic.start();
      try {
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(500))
            .untilAsserted(
                () -> {
                  assertThat(withoutData(prometheus)).isEmpty();
                  assertThat(value(prometheus, "redline:http_5xx:ratio_rate5m")).isZero();
                });
        assertThat(
                prometheus.query(
                    "http_server_requests_seconds_count{plane=\"data\",status=\"429\"}"))
            .isNotEmpty();
        assertThat(value(prometheus, "ratelimit_rules_version")).isEqualTo(3);
        assertThat(prometheus.firingAlerts()).isEmpty();

        redis.kill();

        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(500))
            .untilAsserted(
                () ->
                    assertThat(prometheus.firingAlerts())
                        .contains("RedlineStoreDown", "RedlineFailingClosed")
                        .doesNotContain("RedlineDown", "RedlineErrors"));
        assertThat(value(prometheus, "sum(ratelimit_fallback_total)")).isPositive();
      } finally {
        stopped.set(true);
        traffic.join();
      }
      assertThat(server.log().lines())
          .allMatch(line -> DeployFiles.json(line).isObject())
          .noneMatch(line -> line.contains("is not known"));
    }
  }

  private static void send(DeployedServer server, AtomicBoolean stopped) {
    try {
      for (int i = 0; !stopped.get(); i++) {
        server.check("/api/" + i, "192.0.2." + i % 5);
        server.check("/pay/x", "::1");
        TimeUnit.MILLISECONDS.sleep(5);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("the server does not respond", e);
    }
  }

  private static List<String> withoutData(PrometheusProcess prometheus)
      throws IOException, InterruptedException {
    List<String> empty = new ArrayList<>();
    for (Dashboard.Query query : new Dashboard().queries()) {
      List<JsonNode> series = prometheus.query(query.expression());
      boolean numbers =
          !series.isEmpty()
              && series.stream().anyMatch(one -> !one.at("/value/1").asText().equals("NaN"));
      if (!numbers) {
        empty.add(query.panel() + ": " + query.expression());
      }
    }
    return empty;
  }

  private static double value(PrometheusProcess prometheus, String expression)
      throws IOException, InterruptedException {
    List<JsonNode> series = prometheus.query(expression);
    assertThat(series).as(expression).hasSize(1);
    return Double.parseDouble(series.get(0).at("/value/1").asText());
  }
}
