package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ExplainEndpointTest {
  private static final String RULES =
      """
      plans:
        - { id: gold, limit: 10/h }
      rules:
        - { id: bands, path: /api/**, key: ip, limit: [10/s, 100/m, 1000/h], priority: 9 }
        - { id: elsewhere, path: /elsewhere, limit: 1/s, priority: 8 }
        - { id: posts, path: /api/**, method: POST, limit: 1/s, priority: 7 }
        - { id: off, path: /api/**, enabled: false, limit: 1/s, priority: 6 }
        - { id: tenants, path: /api/**, match: { headers: { X-Tenant: "*" } }, limit: 1/s, priority: 5 }
        - { id: keys, path: /api/**, key: [userId, apiKey], limit: 50/s, priority: 4, onMissingIdentity: SKIP }
        - { id: last, path: /api/**, limit: 70/s, stop: true, priority: 3 }
        - { id: unseen, path: /api/**, limit: 1/s, priority: 2 }
        - { id: values, path: /api/**, match: { headers: { X-Gold: gold } }, limit: 1/s, priority: 1 }
      """;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(RULES, Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void showsPerRuleWhetherItAppliesAndItsBands() {
    String body =
        "{\"request\":{\"path\":\"/api/x\",\"method\":\"GET\",\"clientIp\":\"192.0.2.1\"}}";
    for (int i = 0; i < 12; i++) {
      server.post("/v1/check", body);
    }

    JsonNode explained = server.ask("/v1/explain", body);

    JsonNode rules = explained.get("rules");
    assertThat(rules)
        .extracting(rule -> rule.get("ruleId").asString())
        .containsExactly(
            "bands", "elsewhere", "posts", "off", "tenants", "keys", "last", "unseen", "values");
    JsonNode bands = rules.get(0);
    assertThat(bands.get("ruleSetId").asString()).isEqualTo("default");
    assertThat(bands.get("matched").asBoolean()).isTrue();
    assertThat(bands.get("identity").asString()).isEqualTo("192.0.2.1");
    assertThat(bands.get("bands"))
        .extracting(band -> band.get("label").asString())
        .containsExactly("bands-1", "bands-2", "bands-3");
    assertThat(bands.get("bands").get(1).get("limit").asInt()).isEqualTo(100);
    assertThat(bands.get("bands").get(1).get("remaining").asInt()).isBetween(88, 91);
    assertThat(bands.get("bands").get(2).get("remaining").asInt()).isBetween(988, 991);
    assertThat(bands.get("bands").get(0).get("resetAtMs").asLong()).isPositive();
    assertThat(rules)
        .extracting(rule -> rule.has("why") ? rule.get("why").asString() : "applies")
        .containsExactly(
            "applies",
            "PATH",
            "METHOD",
            "DISABLED",
            "HEADER",
            "MISSING_IDENTITY",
            "applies",
            "STOPPED",
            "HEADER");
    assertThat(rules.get(6).has("identity")).isFalse();
  }

  @Test
  void explainTakesNoTokensAndRecordsNoMetrics() {
    String body = "{\"plans\":[\"gold\"],\"key\":\"watched\"}";
    String before = metrics();
    for (int i = 0; i < 3; i++) {
      JsonNode explained = server.ask("/v1/explain", body);
      assertThat(explained.get("decision").get("remaining").asInt()).isEqualTo(9);
      JsonNode plan = explained.get("rules").get(0);
      assertThat(plan.get("plan").asString()).isEqualTo("gold");
      assertThat(plan.get("matched").asBoolean()).isTrue();
      assertThat(plan.get("identity").asString()).isEqualTo("watched");
      assertThat(plan.get("bands").get(0).get("remaining").asInt()).isEqualTo(10);
    }
    server.ask("/v1/check", body.replace("}", ",\"dryRun\":true}"));
    assertThat(metrics()).isEqualTo(before);
  }

  private static String metrics() {
    return String.join(
        "\n",
        server
            .get(server.management("/actuator/prometheus"))
            .body()
            .lines()
            .filter(
                line ->
                    (line.startsWith("ratelimit_requests_total{") && line.contains("gold"))
                        || line.startsWith("ratelimit_check_seconds_count")
                        || line.startsWith("ratelimit_store_seconds_count"))
            .toList());
  }

  @Test
  void showsKeyFieldsAsListAndApiKeysAsDigests() {
    JsonNode explained =
        server.ask(
            "/v1/explain",
            "{\"request\":{\"path\":\"/api/x\",\"userId\":\"u\",\"apiKey\":\"s3cret\"}}");

    JsonNode identity = explained.get("rules").get(5).get("identity");
    assertThat(identity.get(0).asString()).isEqualTo("u");
    assertThat(identity.get(1).asString()).isNotEqualTo("s3cret").hasSizeGreaterThan(20);
    assertThat(explained.toString()).doesNotContain("s3cret");
  }

  @Test
  void explainsDenialWith200() {
    String body = "{\"ruleId\":\"unseen\"}";
    server.post("/v1/check", body);

    JsonNode explained = server.ask("/v1/explain", body);

    assertThat(server.post("/v1/explain", body).statusCode()).isEqualTo(200);
    assertThat(explained.get("rules").get(0).get("ruleId").asString()).isEqualTo("unseen");
  }

  @Test
  void namesTheConditionThatFailed() {
    JsonNode rules =
        server
            .ask("/v1/explain", "{\"request\":{\"path\":\"/api/x\",\"method\":\"GET\"}}")
            .get("rules");
    JsonNode tenants = rules.get(4);
    assertThat(tenants.get("why").asString()).isEqualTo("HEADER");
    assertThat(tenants.get("field").asString()).isEqualTo("X-Tenant");
    assertThat(rules.get(1).has("field")).isFalse();
    assertThat(rules.get(0).has("field")).isFalse();
  }

  @Test
  void acceptsSeveralValuesOfAHeader() {
    String body = "{\"request\":{\"path\":\"/api/x\",\"headers\":{\"X-Gold\":[\"no\",\"gold\"]}}}";
    JsonNode gold = server.ask("/v1/explain", body).get("rules").get(8);
    assertThat(gold.get("ruleId").asString()).isEqualTo("values");
    assertThat(gold.get("why").asString()).isEqualTo("STOPPED");
    JsonNode other =
        server.ask("/v1/explain", body.replace("\"gold\"", "\"free\"")).get("rules").get(8);
    assertThat(other.get("why").asString()).isEqualTo("HEADER");
    assertThat(
            server
                .post("/v1/check", body.replace("\"gold\"", "\"a\"" + ",\"a\"".repeat(99)))
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void showsTwoHundredUnmatchedRulesAndCountsTheOthers() throws IOException {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 1000; i++) {
      rules.append("- { id: r").append(i).append(", path: /p").append(i).append(", limit: 1/s }\n");
    }
    try (TestServer many = TestServer.start(rules.toString(), Map.of())) {
      JsonNode explained = many.ask("/v1/explain", "{\"request\":{\"path\":\"/p999\"}}");

      assertThat(explained.get("rules").size()).isEqualTo(201);
      assertThat(explained.get("omitted").asInt()).isEqualTo(799);
      assertThat(explained.get("rules").toString())
          .contains("\"ruleId\":\"r999\",\"matched\":true");
    }
  }

  @Test
  void shortensLongIdentities() throws IOException {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 300; i++) {
      rules.append("- { id: r").append(i).append(", key: userId, limit: 1/s }\n");
    }
    rules.append("- { id: both, key: [method, userId], limit: 1/s }\n");
    try (TestServer many = TestServer.start(rules.toString(), Map.of())) {
      String user = "x".repeat(255) + "\ud83d\ude00" + "y".repeat(900_000);
      String body = "{\"request\":{\"method\":\"GET\",\"userId\":\"" + user + "\"}}";

      JsonNode explained = many.ask("/v1/explain", body).get("rules");

      assertThat(explained.size()).isEqualTo(301);
      String shown = "x".repeat(255) + "…";
      assertThat(explained.get(0).get("identity"))
          .extracting(JsonNode::asString)
          .containsExactly("GET", shown);
      assertThat(explained.get(1).get("identity").asString()).isEqualTo(shown);
      String longest = "x".repeat(256);
      JsonNode exact =
          many.ask("/v1/explain", "{\"request\":{\"userId\":\"" + longest + "\"}}").get("rules");
      assertThat(exact.get(1).get("identity").asString()).isEqualTo(longest);
    }
  }
}
