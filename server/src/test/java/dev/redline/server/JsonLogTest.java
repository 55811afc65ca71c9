package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The log of a process with {@code rl.logging.format=json}. */
@Timeout(120)
class JsonLogTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String CALLER = "192.0.2.77";
  private static final String CHECK =
      "{\"request\":{\"path\":\"%s\",\"clientIp\":\"" + CALLER + "\"}}";

  @TempDir Path directory;

  private static List<JsonNode> events(RunningRedline server) throws IOException {
    JsonMapper json = new JsonMapper();
    // JDK 24 and newer print warnings about libraries that use native code or Unsafe.
    return server
        .log()
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("WARNING: "))
        .map(json::readTree)
        .toList();
  }

  private static int post(RunningRedline server, String path, String body, String traceParent)
      throws Exception {
    return server
        .send(
            HttpRequest.newBuilder(server.uri(path))
                .header("traceparent", traceParent)
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  @Test
  void everyLineIsAnObjectWithoutIdentitiesAndNamesTheTrace() throws Exception {
    String rules = "rules: [{ id: per-ip, path: '/**', key: ip, limit: 1/d }]";
    Map<String, String> variables = Map.of("RL_LOGGING_FORMAT", "json", "RL_NO_SUCH_THING", "1");
    try (RunningRedline server = new RunningRedline(directory, rules, List.of(), variables)) {
      String trace = "00-" + TRACE + "-" + SPAN + "-01";
      assertThat(post(server, "/v1/check", CHECK.formatted("/x"), trace)).isEqualTo(200);
      String strange = CHECK.formatted("/a\\nb\\u2028{\\\"c");
      assertThat(post(server, "/v1/check", strange, trace)).isEqualTo(429);
      String batch = "{\"checks\":[" + CHECK.formatted("/batch") + "]}";
      assertThat(post(server, "/v1/check/batch", batch, trace)).isEqualTo(200);
      String dryRun = "{\"dryRun\":true," + CHECK.formatted("/dry").substring(1);
      assertThat(post(server, "/v1/check", dryRun, trace)).isEqualTo(429);
      assertThat(post(server, "/v1/check", CHECK.formatted("/y"), "00-no-trace")).isEqualTo(429);
      await().until(() -> server.log().contains("path=/y"));
      server.process().destroy();
      assertThat(server.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

      assertThat(server.log()).doesNotContain(CALLER);
      List<JsonNode> events = events(server);
      assertThat(events).allMatch(event -> event.isObject() && event.get("@timestamp") != null);
      assertThat(events)
          .map(event -> event.get("message").asString())
          .anyMatch(message -> message.contains("RL_NO_SUCH_THING"))
          .anyMatch(message -> message.contains("is ready"));
      List<JsonNode> denials =
          events.stream()
              .filter(event -> event.get("message").asString().startsWith("denied "))
              .toList();
      assertThat(denials).hasSize(3);
      JsonNode first = denials.get(0);
      assertThat(first.get("ruleId").asString()).isEqualTo("per-ip");
      assertThat(first.get("reason").asString()).isEqualTo("LIMIT_EXCEEDED");
      assertThat(first.get("identity").asString()).matches("x:[0-9a-f]{64}");
      assertThat(first.get("path").asString()).isEqualTo("/a?b?{?c");
      assertThat(first.get("retryAfterMs").asString()).matches("[1-9]\\d*");
      assertThat(first.get("message").asString()).contains(" traceId=" + TRACE);
      for (JsonNode traced : denials.subList(0, 2)) {
        assertThat(traced.get("trace").get("id").asString()).isEqualTo(TRACE);
        assertThat(traced.get("span").get("id").asString()).isEqualTo(SPAN);
      }
      assertThat(denials.get(2).has("trace")).isFalse();
    }
  }
}
