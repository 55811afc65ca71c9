package dev.redline.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ForwardAuthTest {
  private static final String RULES =
      """
      rules:
        - { id: per-ip, path: /api/**, method: GET, key: ip, limit: 1/d, onMissingIdentity: SKIP }
        - { id: closed, path: /closed, action: DENY }
        - { id: cafe, path: /café/**, action: DENY }
        - { id: keys, path: /keys, key: apiKey, limit: 1/d }
        - { id: tenants, path: /tenants, key: "header:X-Tenant", limit: 1/d }
      ruleSets:
        - { id: other, rules: [{ id: nothing, path: /nothing, limit: 1/d }] }
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

  private static HttpResponse<String> ask(String query, String... headers) {
    return server.send(
        HttpRequest.newBuilder(server.uri("/v1/forward-auth" + query)).headers(headers));
  }

  @Test
  void decidesByTheOriginalRequest() {
    String[] headers = {
      "X-Forwarded-Method", "GET", "X-Forwarded-Uri", "/api/x?q=1", "X-Forwarded-For", "192.0.2.1"
    };

    HttpResponse<String> passed = ask("", headers);
    HttpResponse<String> denied = ask("", headers);

    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body()).isEmpty();
    assertThat(passed.headers().firstValue("X-RateLimit-Remaining")).hasValue("0");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    JsonNode problem = TestServer.json(denied);
    assertThat(problem.get("type").asString()).endsWith("#quota-exceeded");
    assertThat(problem.get("violated-policies").get(0).asString()).isEqualTo("per-ip");
    assertThat(ask("?denyStatus=403", headers).statusCode()).isEqualTo(403);
    assertThat(ask("?ruleSetId=other", headers).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "X-Forwarded-Uri,/closed",
    "X-Original-URI,/closed",
    "X-Original-URL,/closed",
    "X-Original-URL,https://example.org/closed",
    "X-Original-URL,https://example.org//closed/?a=/api"
  })
  void acceptsUriHeadersOfEveryProxy(String header, String uri) {
    assertThat(ask("", header, uri).statusCode()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/café/x", "/caf%C3%A9/x", "/x/../café"})
  void treatsRawAndEncodedBytesAsOnePath(String uri) throws IOException {
    String bytes = new String(uri.getBytes(UTF_8), ISO_8859_1);

    assertThat(server.raw("GET /v1/forward-auth HTTP/1.1", "X-Original-URI: " + bytes))
        .startsWith("HTTP/1.1 403 ");
  }

  @Test
  void acceptsEveryMethod() {
    for (String method : new String[] {"POST", "HEAD", "DELETE"}) {
      HttpResponse<String> response =
          server.send(
              HttpRequest.newBuilder(server.uri("/v1/forward-auth"))
                  .header("X-Forwarded-Uri", "/closed")
                  .method(method, BodyPublishers.noBody()));
      assertThat(response.statusCode()).isEqualTo(403);
    }
  }

  @Test
  void clientIsTheFirstUntrustedHop() {
    String forged = "203.0.113.50, 192.0.2.77, 127.0.0.1";
    assertThat(
            ask(
                    "",
                    "X-Forwarded-Method",
                    "GET",
                    "X-Forwarded-Uri",
                    "/api/y",
                    "X-Forwarded-For",
                    forged)
                .statusCode())
        .isEqualTo(200);
    assertThat(
            ask(
                    "",
                    "X-Forwarded-Method",
                    "GET",
                    "X-Forwarded-Uri",
                    "/api/y",
                    "X-Forwarded-For",
                    "192.0.2.77")
                .statusCode())
        .isEqualTo(429);

    for (int i = 0; i < 3; i++) {
      assertThat(ask("", "X-Forwarded-Method", "GET", "X-Forwarded-Uri", "/api/y").statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void matchesHeadersOfTheOriginalRequest() {
    assertThat(ask("", "X-Original-URI", "/keys", "X-API-Key", "k").statusCode()).isEqualTo(200);
    assertThat(ask("", "X-Original-URI", "/keys", "X-API-Key", "k").statusCode()).isEqualTo(429);
    assertThat(ask("", "X-Original-URI", "/tenants", "X-Tenant", "t").statusCode()).isEqualTo(200);
    assertThat(ask("", "X-Original-URI", "/tenants", "X-Tenant", "t").statusCode()).isEqualTo(429);
  }

  @Test
  void rejectsRequestWithoutUri() {
    HttpResponse<String> response = ask("", "X-Forwarded-For", "192.0.2.1");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(TestServer.json(response).get("detail").asString()).contains("X-Forwarded-Uri");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"200", "399", "600", "no", "", "0429", "%2B429", "429.0", "%D9%A4%D9%A2%D9%A9"})
  void rejectsDenyStatusThatIsNoError(String status) {
    HttpResponse<String> response = ask("?denyStatus=" + status, "X-Forwarded-Uri", "/x");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(TestServer.json(response).get("detail").asString()).contains("denyStatus");
  }

  @Test
  void unknownRuleSetIsNotFound() {
    assertThat(ask("?ruleSetId=nowhere", "X-Forwarded-Uri", "/x").statusCode()).isEqualTo(404);
  }

  /** Header fields as a client may add them to those of the proxy; each is one bypass. */
  @ParameterizedTest
  @CsvSource({
    "X-Original-URI=/closed X-Forwarded-Uri=/open",
    "X-Original-URL=/closed X-Forwarded-Uri=/open",
    "X-Forwarded-Uri=/closed X-Original-URI=/open",
    "X-Original-URI=/closed X-Original-URL=/open",
    "X-Forwarded-Uri=/closed X-Forwarded-Uri=/open",
    "X-Original-URI=/open X-Original-URI=/closed",
    "X-Original-URI=/closed X-Original-Method=GET X-Forwarded-Method=POST",
    "X-Original-URI=/closed X-Forwarded-Method=POST",
    "X-Forwarded-Uri=/closed X-Original-Method=POST",
    "X-Forwarded-Uri=/closed X-Forwarded-Method=GET X-Forwarded-Method=POST",
    "'X-Forwarded-Uri=/closed X-Forwarded-Method=GET,POST'",
    "X-Original-URI=/closed X-Forwarded-Uri=/closed X-Forwarded-Method=POST",
    "X-Original-URI=/closed X-Original-Method=GET X-Forwarded-Uri=/closed",
    "X-Original-URI=/keys X-API-Key=a X-API-Key=b",
  })
  void rejectsFieldsThatContradictEachOther(String fields) {
    HttpResponse<String> response = ask("", fields.split("[ =]"));

    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    assertThat(TestServer.json(response).get("detail").asString()).contains("from the client");
  }

  @ParameterizedTest
  @CsvSource({
    "X-Original-URI=/closed X-Forwarded-Uri=/closed",
    "X-Original-URI=/closed X-Forwarded-Uri=//closed/?q",
    "X-Original-URL=http://example.org/closed X-Original-URI=/%63losed",
    "X-Forwarded-Uri=/closed X-Forwarded-Uri=/closed",
    "X-Forwarded-Uri=http://example.org?/open X-Forwarded-Uri=/",
    "X-Original-URI=/closed X-Original-Method=GET X-Forwarded-Uri=/closed X-Forwarded-Method=get",
  })
  void acceptsBothFamiliesWhereTheyAgree(String fields) {
    assertThat(ask("", fields.split("[ =]")).statusCode()).isIn(200, 403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?denyStatus=%zz",
        "?ruleSetId=%ff",
        "?ruleSetId=%c3",
        "?denystatus=403",
        "?x",
        "?denyStatus=403&denyStatus=404"
      })
  void rejectsQueriesThatCannotBeReadOrHaveUnknownParameters(String query) throws IOException {
    String answer = server.raw("GET /v1/forward-auth" + query + " HTTP/1.1", "X-Forwarded-Uri: /x");

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
  }

  @Test
  void rejectsUntrustedPeerAndNamesAddressAndProperty() throws IOException {
    try (TestServer strict =
        TestServer.start(RULES, Map.of("rl.identity.trusted-proxies", "10.0.0.0/8"))) {
      HttpResponse<String> response =
          strict.send(
              HttpRequest.newBuilder(strict.uri("/v1/forward-auth"))
                  .header("X-Forwarded-Uri", "/x"));

      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(TestServer.json(response).get("detail").asString())
          .contains("127.0.0.1")
          .contains("rl.identity.trusted-proxies");
    }
  }
}
