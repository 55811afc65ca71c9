package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class CheckTest {
  private static final String RULES =
      """
      plans:
        - { id: gold, limit: 10/h }
        - { id: daily, limit: 5/d }
      rules:
        - { id: per-user, path: /users/**, key: userId, limit: 2/h }
        - { id: evasion, path: /api/**, limit: 1/d, priority: -1 }
        - { id: free, path: /free, action: ALLOW }
        - { id: closed, path: /closed, action: DENY }
        - { id: strict, path: /strict, key: userId, onMissingIdentity: REJECT, limit: 1/s }
        - { id: watched, path: /watched, mode: SHADOW, limit: 1/d }
        - { id: off, path: /off, enabled: false, limit: 1/d }
        - { id: pair, path: /pair, key: [userId, "header:X-Tenant"], limit: 1/d }
        - { id: everybody, path: /everybody, limit: 1/d }
        - { id: addresses, path: /addresses, key: ip, limit: 1/d }
        - { id: keys, path: /keys, key: apiKey, limit: 1/d }
      ruleSets:
        - id: other
          rules:
            - { id: other-rule, path: /users/**, key: userId, limit: 7/h }
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

  private static HttpResponse<String> check(String body) {
    return server.post("/v1/check", body);
  }

  private static JsonNode ask(String body) {
    return server.ask("/v1/check", body);
  }

  @Test
  void decidesByMatchingRulesAndSetsHeaders() {
    String body =
        """
        {"ruleSetId":"default","request":{"path":"/users/1","method":"GET","userId":"alice"}}""";

    HttpResponse<String> first = check(body);
    HttpResponse<String> second = check(body);
    HttpResponse<String> third = check(body);

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(first.headers().firstValue("X-RateLimit-Limit")).hasValue("2");
    assertThat(first.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
    assertThat(first.headers().firstValue("X-RateLimit-Reset")).isPresent();
    assertThat(first.headers().firstValue("Retry-After")).isEmpty();
    JsonNode allowed = TestServer.json(first);
    assertThat(allowed.propertyNames())
        .containsExactly(
            "allowed", "reason", "ruleSetId", "ruleId", "band", "limit", "remaining", "resetAtMs");
    assertThat(allowed.get("reason").asString()).isEqualTo("ALLOWED");
    assertThat(TestServer.json(second).get("remaining").asInt()).isZero();

    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(third.headers().firstValue("Content-Type")).hasValue("application/json");
    JsonNode denied = TestServer.json(third);
    assertThat(denied.get("allowed").asBoolean()).isFalse();
    assertThat(denied.get("reason").asString()).isEqualTo("LIMIT_EXCEEDED");
    assertThat(denied.get("ruleSetId").asString()).isEqualTo("default");
    assertThat(denied.get("ruleId").asString()).isEqualTo("per-user");
    long wait = denied.get("retryAfterMs").asLong();
    assertThat(wait).isBetween(1_700_000L, 1_800_000L);
    assertThat(third.headers().firstValue("Retry-After"))
        .hasValue(Long.toString((wait + 999) / 1000));
    assertThat(third.headers().firstValue("X-RateLimit-Retry-After"))
        .isEqualTo(third.headers().firstValue("Retry-After"));
  }

  @Test
  void checkByRuleSharesTheBucketOfACheckByRequest() {
    ask("{\"request\":{\"path\":\"/users/2\",\"userId\":\"bob\"},\"ruleSetId\":\"default\"}");

    JsonNode decision = ask("{\"ruleId\":\"per-user\",\"identity\":\"bob\"}");

    assertThat(decision.get("remaining").asInt()).isZero();
    assertThat(check("{\"ruleId\":\"per-user\",\"identity\":[\"bob\"]}").statusCode())
        .isEqualTo(429);
  }

  @Test
  void acceptsListOfIdentitiesAndNoneForGlobalRule() {
    String pair = "{\"ruleId\":\"pair\",\"identity\":[\"u\",\"t\"]}";
    assertThat(check(pair).statusCode()).isEqualTo(200);
    assertThat(check(pair).statusCode()).isEqualTo(429);
    assertThat(check("{\"ruleId\":\"everybody\"}").statusCode()).isEqualTo(200);
    assertThat(check("{\"ruleId\":\"everybody\",\"identity\":\"ignored\"}").statusCode())
        .isEqualTo(429);
  }

  @Test
  void chargesAllPlansOrNone() {
    String body = "{\"plans\":[\"gold\",\"daily\",\"gold\"],\"key\":\"user:1\"}";
    for (int i = 0; i < 5; i++) {
      assertThat(check(body).statusCode()).isEqualTo(200);
    }

    JsonNode sixth = ask(body);

    assertThat(sixth.get("allowed").asBoolean()).isFalse();
    assertThat(sixth.get("plan").asString()).isEqualTo("daily");
    assertThat(sixth.has("ruleId")).isFalse();
    assertThat(
            ask("{\"plans\":[\"gold\"],\"key\":\"user:1\",\"dryRun\":true}")
                .get("remaining")
                .asInt())
        .isEqualTo(4);
  }

  @Test
  void dryRunReturnsTheResultAndTakesNoTokens() {
    String dry = "{\"plans\":[\"daily\"],\"key\":\"dry\",\"dryRun\":true,\"cost\":3}";
    for (int i = 0; i < 3; i++) {
      assertThat(ask(dry).get("remaining").asInt()).isEqualTo(2);
    }
    assertThat(ask("{\"plans\":[\"daily\"],\"key\":\"dry\",\"cost\":5}").get("remaining").asInt())
        .isZero();
    assertThat(check(dry).statusCode()).isEqualTo(429);
  }

  @Test
  void omitsRetryAfterIfCostExceedsCapacity() {
    HttpResponse<String> hopeless = check("{\"plans\":[\"daily\"],\"key\":\"big\",\"cost\":6}");

    assertThat(hopeless.statusCode()).isEqualTo(429);
    JsonNode decision = TestServer.json(hopeless);
    assertThat(decision.get("reason").asString()).isEqualTo("COST_EXCEEDS_CAPACITY");
    assertThat(decision.has("retryAfterMs")).isFalse();
    assertThat(hopeless.headers().firstValue("Retry-After")).isEmpty();
  }

  @Test
  void evaluatesOnlyTheNamedRuleSet() {
    JsonNode decision =
        ask("{\"ruleSetId\":\"other\",\"request\":{\"path\":\"/users/9\",\"userId\":\"c\"}}");

    assertThat(decision.get("ruleId").asString()).isEqualTo("other-rule");
    assertThat(decision.get("ruleSetId").asString()).isEqualTo("other");
  }

  @Test
  void allowsUnmatchedRequestWithoutHeaders() {
    HttpResponse<String> response = check("{\"request\":{}}");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"allowed\":true,\"reason\":\"NO_MATCHING_RULE\"}");
    assertThat(response.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
  }

  @Test
  void reportsReasonsOfAllowDenyAndMissingIdentity() {
    JsonNode free = ask("{\"request\":{\"path\":\"/free\"}}");
    assertThat(free.propertyNames()).containsExactly("allowed", "reason", "ruleSetId", "ruleId");
    HttpResponse<String> closed = check("{\"request\":{\"path\":\"/closed\"}}");
    assertThat(closed.statusCode()).isEqualTo(403);
    assertThat(TestServer.json(closed).get("reason").asString()).isEqualTo("BLOCKED");
    HttpResponse<String> nobody = check("{\"request\":{\"path\":\"/strict\"}}");
    assertThat(nobody.statusCode()).isEqualTo(403);
    assertThat(TestServer.json(nobody).get("reason").asString()).isEqualTo("MISSING_IDENTITY");
    assertThat(nobody.headers().firstValue("Retry-After")).isEmpty();
    assertThat(ask("{\"ruleId\":\"off\"}").get("reason").asString()).isEqualTo("DISABLED");
  }

  @Test
  void reportsShadowRulesWithoutDenying() {
    String body = "{\"request\":{\"path\":\"/watched\"}}";
    assertThat(ask(body).has("shadowDenied")).isFalse();

    HttpResponse<String> second = check(body);

    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(TestServer.json(second).get("shadowDenied").get(0).asString()).isEqualTo("watched");
  }

  @Test
  void acceptsApiKeysAndAddressesOfEveryKind() {
    for (String ip : List.of("203.0.113.9", "2001:db8::1", "::ffff:203.0.113.10")) {
      String body = "{\"request\":{\"path\":\"/addresses\",\"clientIp\":\"" + ip + "\"}}";
      assertThat(check(body).statusCode()).isEqualTo(200);
      assertThat(check(body).statusCode()).isEqualTo(429);
    }
    assertThat(check("{\"ruleId\":\"addresses\",\"identity\":\"203.0.113.10\"}").statusCode())
        .isEqualTo(429);
    assertThat(check("{\"request\":{\"path\":\"/keys\",\"apiKey\":\"s3cret\"}}").statusCode())
        .isEqualTo(200);
    HttpResponse<String> again = check("{\"ruleId\":\"keys\",\"identity\":\"s3cret\"}");
    assertThat(again.statusCode()).isEqualTo(429);
    assertThat(again.body()).doesNotContain("s3cret");
  }

  @Test
  void treatsNullAsAbsent() {
    String body =
        """
        {"ruleSetId":null,"ruleId":null,"identity":null,"plans":null,"key":null,"cost":null,
         "dryRun":null,"limit":null,"bands":null,
         "request":{"path":null,"method":null,"clientIp":null,"userId":null,"apiKey":null,
                    "headers":null,"attributes":{"a":null}}}""";

    assertThat(check(body).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//api/x",
        "/api/../api/x",
        "/%61pi/x",
        "/%2561pi/x",
        "/api%2Fx",
        "/api;v=1/x",
        "/api\\\\x",
        "/api/x/"
      })
  void matchesEverySpellingOfAPath(String path) {
    ask("{\"request\":{\"path\":\"/api/x\"}}");

    HttpResponse<String> response = check("{\"request\":{\"path\":\"" + path + "\"}}");

    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(TestServer.json(response).get("ruleId").asString()).isEqualTo("evasion");
  }

  @Test
  void exceptRuleSetsLeavesOutTheirRules() {
    String request = "\"request\":{\"path\":\"/users/1\",\"userId\":\"except\"}";
    assertThat(ask("{" + request + ",\"exceptRuleSets\":[\"default\",\"none\"]}").get("ruleId"))
        .hasToString("\"other-rule\"");
    assertThat(ask("{" + request + ",\"exceptRuleSets\":[\"other\"]}").get("ruleId"))
        .hasToString("\"per-user\"");
    assertThat(check("{" + request + ",\"exceptRuleSets\":\"other\"}").statusCode()).isEqualTo(400);
    assertThat(check("{\"plans\":[\"gold\"],\"key\":\"k\",\"exceptRuleSets\":[\"other\"]}").body())
        .contains("exceptRuleSets")
        .contains("goes only with request");
  }
}
