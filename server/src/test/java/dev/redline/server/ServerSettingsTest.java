package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.server.settings.ServerSettings;
import dev.redline.server.wiring.ServerOptions;
import dev.redline.server.wiring.StartupFailure;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ServerSettingsTest {
  private static final String RULES = "rules: [{ id: r, path: /**, limit: 1/d }]\n";

  @TempDir Path directory;

  private Path file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  private ServerOptions options(
      Map<String, String> flags, Map<String, String> variables, String config) throws IOException {
    Map<String, String> all = new HashMap<>(TestServer.onFreePorts());
    all.putAll(flags);
    return new ServerOptions(all, variables, Optional.of(file("redline.yaml", config)));
  }

  private static JsonNode settings(TestServer server) {
    return TestServer.json(server.get(server.management("/actuator/redline"))).get("settings");
  }

  @Test
  void prefersFlagToEnvironmentToFileToDefault() throws IOException {
    String config =
        """
        rl:
          config:
            source: [FILE]
          metrics.maxRules: 10
          headers.ietf: true
          fail.closed-status: 503
          reload.polling-interval: ${SOME_UNSET_NAME:7s}
        """;
    Map<String, String> variables =
        Map.of(
            "RL_METRICS_MAX_RULES", "20",
            "RL_FAIL_CLOSED_STATUS", "429",
            "RL_SERVER_DRAIN_TIMEOUT", "9s",
            "RL_CONFIG_SOURCE", "FILE",
            "RL_SOMETHING_ELSE", "is ignored");
    Map<String, String> flags =
        Map.of("rl.metrics.max-rules", "30", "rl.config.path", file("r.yaml", RULES).toString());

    try (TestServer server = TestServer.start(options(flags, variables, config))) {
      JsonNode settings = settings(server);
      assertThat(settings.get("rl.metrics.max-rules").asInt()).isEqualTo(30);
      assertThat(settings.get("rl.fail.closed-status").asInt()).isEqualTo(429);
      assertThat(settings.get("rl.headers.ietf").asBoolean()).isTrue();
      assertThat(settings.get("rl.reload.polling-interval").asString()).isEqualTo("PT7S");
      assertThat(settings.get("rl.headers.legacy").asBoolean()).isTrue();
      assertThat(settings.get("rl.server.drain-timeout").asString()).isEqualTo("PT3S");
      HttpResponse<String> response = server.post("/v1/check", "{\"request\":{\"path\":\"/\"}}");
      assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"r\";q=1;w=86400");
    }
  }

  @Test
  void followsKillSwitchInTheConfigurationFile() throws IOException {
    Map<String, String> flags = Map.of("rl.config.path", file("r.yaml", RULES).toString());
    ServerOptions options = options(flags, Map.of(), "rl.enabled: true\n");
    String body = "{\"request\":{\"path\":\"/x\"}}";

    try (TestServer server = TestServer.start(options)) {
      server.post("/v1/check", body);
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(429);

      file("redline.yaml", "rl:\n  enabled: false\n");
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () ->
                  assertThat(server.post("/v1/check", body).body())
                      .isEqualTo("{\"allowed\":true,\"reason\":\"DISABLED\"}"));

      file("redline.yaml", "rl: {enabled: [broken\n");
      file("redline.yaml", "# nothing said\n");
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () -> assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(429));
    }
  }

  private static String rejection(TestServer server, String limits) {
    HttpResponse<String> response =
        server.post("/v1/check", "{\"ruleId\":\"t\",\"identity\":\"u\"," + limits + "}");
    assertThat(response.statusCode()).isEqualTo(400);
    return TestServer.json(response).get("detail").asString();
  }

  @Test
  void acceptsInlineLimitIfEnabled() throws IOException {
    Map<String, String> flags =
        Map.of(
            "rl.server.inline-limits", "true", "rl.config.path", file("r.yaml", RULES).toString());

    try (TestServer server = TestServer.start(options(flags, Map.of(), "{}"))) {
      String body = "{\"ruleId\":\"theirs\",\"identity\":\"u\",\"limit\":\"2/h\"}";
      assertThat(server.ask("/v1/check", body).get("remaining").asInt()).isEqualTo(1);
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(200);
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(429);
      String bands =
          "{\"ruleId\":\"theirs\",\"identity\":\"u\",\"bands\":[{\"capacity\":3,\"window\":\"1h\","
              + "\"algorithm\":\"FIXED_WINDOW\"}]}";
      assertThat(server.ask("/v1/check", bands).get("limit").asInt()).isEqualTo(3);
      assertThat(rejection(server, "\"limit\":\"many\""))
          .startsWith("limit must be N/PERIOD")
          .contains("many");
      assertThat(rejection(server, "\"bands\":[5]")).startsWith("bands: band 1 must be a mapping");
      assertThat(rejection(server, "\"limit\":[" + "\"1/h\",".repeat(60_000) + "\"1/h\"]"))
          .isEqualTo("limit must have at most 64 limits, had 60001");
    }
  }

  @Test
  void readsInlineRulesOfTheConfigurationFile() throws IOException {
    String config =
        """
        rl:
          config.source: INLINE
          plans:
            - { id: gold, limit: "${SOME_UNSET_NAME:3}/h" }
          rule-sets:
            - id: shop
              rules:
                - id: r
                  paths: [/x, "/y/**"]
                  plan: gold
                  on-store-failure: OPEN
                  metadata: { cost-center: "a, b" }
        """;
    try (TestServer server = TestServer.start(options(Map.of(), Map.of(), config))) {
      String body = "{\"ruleSetId\":\"shop\",\"request\":{\"path\":\"/y/1\"}}";
      assertThat(server.ask("/v1/check", body).get("limit").asInt()).isEqualTo(3);
    }
    assertRejected(
        options(Map.of(), Map.of(), "rl: { rules: [{ id: r, limit: 1/s }] }"), "add INLINE");
  }

  @Test
  void usesCaffeineStoreIfConfigured() throws IOException {
    Map<String, String> flags =
        Map.of("rl.storage.type", "caffeine", "rl.config.path", file("r.yaml", RULES).toString());

    try (TestServer server = TestServer.start(options(flags, Map.of(), "{}"))) {
      String body = "{\"request\":{\"path\":\"/x\"}}";
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(200);
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(429);
      assertThat(server.get(server.management("/actuator/health")).body()).contains("caffeine");
    }
  }

  private void assertRejected(ServerOptions options, String... named) {
    assertThatThrownBy(() -> TestServer.start(options))
        .isInstanceOfSatisfying(
            StartupFailure.class,
            failure -> {
              for (String name : named) {
                assertThat(failure.lines()).anySatisfy(line -> assertThat(line).contains(name));
              }
            });
  }

  @Test
  void rejectsUnknownPropertyOrInvalidValueByName() throws IOException {
    assertRejected(
        options(
            Map.of("rl.server.prt", "1"),
            Map.of("RL_STORAGE_TYPE", "PAPER"),
            "rl: { storage: { max-kyes: 1 }, mode: LOUD }"),
        "rl.server.prt",
        "rl.storage.max-kyes",
        "rl.mode: 'LOUD'",
        "rl.storage.type: 'PAPER'");
  }

  @Test
  void failsStartOnMissingOrInvalidRules() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    assertRejected(
        options(Map.of("rl.config.path", missing.toString()), Map.of(), "{}"), missing.toString());
    Path invalid =
        file("invalid.yaml", "rules:\n  - { id: a, limit: 0/s }\n  - { id: b, pth: /x }\n");
    assertRejected(
        options(Map.of("rl.config.path", invalid.toString()), Map.of(), "{}"),
        invalid + ":2: rule 'a': ",
        invalid + ":3: rule 'b': ");
  }

  @Test
  void failsStartOnTakenPortAndNamesIt() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      String port = Integer.toString(taken.getLocalPort());
      String rules = file("r.yaml", RULES).toString();
      assertRejected(
          options(Map.of("rl.server.port", port, "rl.config.path", rules), Map.of(), "{}"),
          port,
          "--port");
      assertRejected(
          options(
              Map.of(
                  "rl.server.management-port", port,
                  "rl.server.management-host", "0.0.0.0",
                  "rl.config.path", rules),
              Map.of(),
              "{}"),
          port,
          "--management-port");
    }
  }

  @Test
  void failsStartOnMalformedConfigurationFile() throws IOException {
    assertRejected(options(Map.of(), Map.of(), "rl: {enabled: [\n"), "YAML");
  }

  @Test
  void rejectsInvalidManagementHost() {
    for (String host : List.of("no such host", "203.0.113.7")) {
      assertThatThrownBy(
              () -> TestServer.start(RULES, Map.of("rl.server.management-host", host)).close())
          .isInstanceOf(StartupFailure.class)
          .hasMessageContaining("rl.server.management-host");
    }
  }

  @Test
  void rejectsRulesPathThatDoesNotExist() {
    assertThatThrownBy(
            () -> TestServer.start(RULES, Map.of("rl.config.path", "/no/such.yaml")).close())
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.config.path")
        .hasMessageContaining("/no/such.yaml");
  }

  @Test
  void rejectsShortTokens() {
    assertThatThrownBy(
            () ->
                TestServer.start(RULES, Map.of("rl.admin.tokens.ci.value", "fifteen-letters"))
                    .close())
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.admin.tokens.ci.value")
        .hasMessageContaining("16")
        .hasMessageNotContaining("fifteen");
  }

  @Test
  void rejectsUnknownVariableWithASuggestion() {
    assertThat(
            ServerSettings.CATALOG.unknownVariables(
                Map.of(
                    "RL_STORAGE_TYP", "LOCAL",
                    "RL_STORAGE_TYPE", "LOCAL",
                    "RL_ADMIN_TOKENS_CI_VALUE", "x",
                    "RL_SOMETHING_ENTIRELY_DIFFERENT", "x",
                    "PATH", "/bin")))
        .isEqualTo(
            Map.of(
                "RL_STORAGE_TYP",
                Optional.of("RL_STORAGE_TYPE"),
                "RL_SOMETHING_ENTIRELY_DIFFERENT",
                Optional.empty()));
  }
}
