package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What unauthenticated users and the log may show. */
@Timeout(60)
class DisclosureTest {
  private static final String TOKEN = "an-editor-of-this-test";

  private static final String IDENTITY =
      new IdentityScheme(List.of(KeyField.ip()), List.of(), IdentitySettings.DEFAULT)
          .identityOf(List.of("192.0.2.1"));

  @TempDir Path directory;

  private TestServer start(Path rules, Map<String, String> more) throws IOException {
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "rl.config.path",
                rules.toString(),
                "rl.admin.tokens.ci.role",
                "editor",
                "rl.admin.tokens.ci.value",
                TOKEN));
    properties.putAll(more);
    return TestServer.start("", properties);
  }

  private static JsonNode rulesOf(TestServer server) {
    return TestServer.json(server.get(server.management("/actuator/health")))
        .get("components")
        .get("redline")
        .get("details")
        .get("rules");
  }

  @Test
  void healthShowsTenErrorsAndAllOfThemWithAToken() throws IOException {
    Path rules = Files.writeString(directory.resolve("rules.yaml"), "rules: []");
    try (TestServer server = start(rules, Map.of())) {
      Files.writeString(rules, "rules:\n" + "- { id: a b, limit: 1/s }\n".repeat(500));
      await().until(() -> rulesOf(server).has("error"));

      String error = rulesOf(server).get("error").asString();
      assertThat(error.lines().count()).isLessThanOrEqualTo(10);
      assertThat(error)
          .startsWith(rules + ":2: ")
          .containsPattern("\\([0-9]{3,4} errors in all\\)$");

      assertThat(server.get(server.management("/admin/v1/rules/errors")).statusCode())
          .isEqualTo(401);
      HttpResponse<String> all =
          server.send(
              HttpRequest.newBuilder(server.management("/admin/v1/rules/errors"))
                  .header("Authorization", "Bearer " + TOKEN));
      assertThat(TestServer.json(all).get("errors").size()).isGreaterThanOrEqualTo(500);

      Files.writeString(rules, "rules: []");
      await().until(() -> !rulesOf(server).has("error"));
    }
  }

  @Test
  void logsIdentitiesAsKeyedDigests() throws IOException {
    Path rules =
        Files.writeString(directory.resolve("r.yaml"), "rules: [{ id: a, key: ip, limit: 1/d }]");
    try (TestServer server = start(rules, Map.of());
        LogLines log = new LogLines()) {
      String line = denial(server, log);
      assertThat(line)
          .containsPattern(" ruleId=a identity=x:[0-9a-f]{64} path=/x retryAfterMs=[0-9]+$");
      assertThat(line).doesNotContain(IdentityDigest.of(IDENTITY));
      assertThat(line).doesNotContain(ApiKeyDigest.unkeyed().of(IDENTITY));
    }
  }

  @Test
  void nodesWithTheSameSecretLogTheSameDigest() throws IOException {
    Path rules =
        Files.writeString(directory.resolve("r.yaml"), "rules: [{ id: a, key: ip, limit: 1/d }]");
    try (TestServer server =
            start(rules, Map.of("rl.identity.digest-secret", "one secret for all nodes"));
        LogLines log = new LogLines()) {
      assertThat(denial(server, log))
          .contains(ApiKeyDigest.keyed("one secret for all nodes").of(IDENTITY));
    }
  }

  private static String denial(TestServer server, LogLines log) {
    String check = "{\"request\":{\"path\":\"/x\",\"clientIp\":\"192.0.2.1\"}}";
    server.post("/v1/check", check);
    assertThat(server.post("/v1/check", check).statusCode()).isEqualTo(429);
    await().until(() -> log.all().stream().anyMatch(line -> line.contains("identity=")));
    return log.all().stream().filter(line -> line.contains("identity=")).findFirst().orElseThrow();
  }

  @Test
  void logsFailedLoginsWithoutTheToken() throws IOException {
    Path rules = Files.writeString(directory.resolve("r.yaml"), "rules: []");
    try (TestServer server = start(rules, Map.of());
        LogLines log = new LogLines()) {
      for (int i = 0; i < 15; i++) {
        HttpResponse<String> answer =
            server.send(
                HttpRequest.newBuilder(server.management("/admin/v1/rules"))
                    .header("Authorization", "Bearer guess-number-" + i));
        assertThat(answer.statusCode()).isEqualTo(401);
      }
      assertThat(log.all()).anyMatch(line -> line.matches("WARN .*login.* from 127\\.0\\.0\\.1.*"));
      assertThat(log.all()).noneMatch(line -> line.contains("guess"));
    }
  }
}
