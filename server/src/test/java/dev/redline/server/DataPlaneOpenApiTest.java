package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the description of the data plane with the responses of every endpoint. */
class DataPlaneOpenApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
  private static final String TOKEN = "token-of-a-caller";
  private static final String ADMIN = "token-of-an-admin";
  private static final String RULES =
      """
      plans: [{ id: gold, limit: 2/d }]
      ruleSets:
        - id: default
          rules:
            - { id: once, path: /once/**, key: ip, limit: 1/d }
            - { id: closed, path: /closed, action: DENY }
            - { id: tier, path: /tier, match: { attributes: { tier: gold } }, limit: 5/d }
        - id: other
          rules: []
      """;

  /** Statuses that need an overload, or a service without rules; their tests are elsewhere. */
  private static final Set<String> NOT_SEEN =
      Set.of(
          "POST /v1/check 503",
          "POST /v1/check/batch 503",
          "POST /v1/explain 503",
          "GET /v1/forward-auth 503",
          "GET /v1/rules 503",
          "GET /v1/rules 429");

  private static TestServer server;
  private static TestServer withTokens;
  private static TestServer withoutRules;
  private static JsonNode description;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Set<String> seen = new TreeSet<>();

  @BeforeAll
  static void start() throws IOException {
    Map<String, String> admin =
        Map.of("rl.admin.tokens.ci.role", "viewer", "rl.admin.tokens.ci.value", ADMIN);
    Map<String, String> properties = new java.util.HashMap<>(admin);
    properties.put("rl.server.body-timeout", "200ms");
    server = TestServer.start(RULES, properties);
    properties.put("rl.server.auth.tokens.caller", TOKEN);
    withTokens = TestServer.start(RULES, properties);
    withoutRules =
        TestServer.start(
            RULES,
            Map.of("rl.default-rule-set-id", "missing", "rl.missing-rule-behavior", "REJECT"));
    description = JSON.readTree(server.get(server.uri("/v1/openapi.json")).body());
  }

  @AfterAll
  static void stop() {
    server.close();
    withTokens.close();
    withoutRules.close();
  }

  private void post(String path, String body, String... headers) throws Exception {
    post(server, path, body, headers);
  }

  private void post(TestServer target, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target.uri(path)).POST(BodyPublishers.ofString(body));
    send(path, request, headers);
  }

  private void get(String path, String query, String... headers) throws Exception {
    send(path, HttpRequest.newBuilder(URI.create(server.uri(path) + query)), headers);
  }

  private void send(String path, HttpRequest.Builder request, String... headers) throws Exception {
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpRequest built = request.build();
    compare(built.method(), path, client.send(built, BodyHandlers.ofString()));
  }

  /** Checks a response against its description. */
  private void compare(String method, String path, HttpResponse<String> answer) throws IOException {
    String what = method + " " + path + " " + answer.statusCode();
    seen.add(what);
    JsonNode response =
        description
            .path("paths")
            .path(path)
            .path(method.toLowerCase(Locale.ROOT))
            .path("responses")
            .path(Integer.toString(answer.statusCode()));
    assertThat(response.isMissingNode()).as(what + " is described: " + answer.body()).isFalse();
    Iterator<String> fields = response.path("headers").fieldNames();
    while (fields.hasNext()) {
      assertThat(answer.headers().firstValue(fields.next())).as(what).isPresent();
    }
    if (!response.has("content")) {
      assertThat(answer.body()).as(what).isEmpty();
      return;
    }
    String type = answer.headers().firstValue("Content-Type").orElseThrow();
    JsonNode schema = response.path("content").path(type).path("schema");
    assertThat(schema.isMissingNode()).as(what + " as " + type).isFalse();
    ObjectNode whole = schema.deepCopy();
    whole.set("components", description.get("components"));
    assertThat(SCHEMAS.getSchema(whole).validate(JSON.readTree(answer.body())))
        .as(what + ": " + answer.body())
        .isEmpty();
  }

  @Test
  void everyEndpointRespondsAsDescribed() throws Exception {
    String once = "{\"request\":{\"path\":\"/once\",\"clientIp\":\"192.0.2.1\"}}";
    post("/v1/check", once);
    post("/v1/check", once);
    post("/v1/check", "{\"request\":{\"path\":\"/closed\"}}");
    post("/v1/check", "{\"plans\":[\"gold\"],\"key\":\"k\"}");
    post("/v1/check", "{\"plans\":[\"gold\"],\"key\":\"k\",\"cost\":3}");
    post("/v1/check", "{\"ruleId\":\"once\",\"identity\":\"192.0.2.2\"}");
    post("/v1/check", "{\"ruleId\":\"nobody\",\"identity\":\"x\"}");
    post(withoutRules, "/v1/check", once);
    post("/v1/check/batch", "{\"checks\":[" + once + ",{},{\"ruleId\":\"nobody\"}]}");
    post("/v1/explain", once);
    post("/v1/explain", "{\"request\":{\"path\":\"/tier\"}}");
    post("/v1/explain", "{\"plans\":[\"gold\"],\"key\":\"k\"}");
    post("/v1/explain", "{\"ruleId\":\"nobody\",\"identity\":\"x\"}");
    for (String path : new String[] {"/v1/check", "/v1/check/batch", "/v1/explain"}) {
      invalid(path);
    }
    String auth = "/v1/forward-auth";
    String[] client = {"X-Forwarded-Uri", "/once/x", "X-Forwarded-For", "192.0.2.9"};
    get(auth, "", client);
    get(auth, "", client);
    get(auth, "");
    get(auth, "", "X-Forwarded-Uri", "/closed");
    get(auth, "?ruleSetId=nothing", client);
    get(auth, "", "X-Big", "x".repeat(40_000));
    send(auth, HttpRequest.newBuilder(withTokens.uri(auth)), client);
    send(auth, HttpRequest.newBuilder(withoutRules.uri(auth)), client);
    String[] admin = {"Authorization", "Bearer " + ADMIN};
    get("/v1/rules", "", admin);
    get("/v1/rules", "");
    get("/v1/rules", "", "X-Big", "x".repeat(40_000));
    String etag =
        client()
            .send(
                HttpRequest.newBuilder(server.uri("/v1/rules")).headers(admin).build(),
                BodyHandlers.ofString())
            .headers()
            .firstValue("ETag")
            .orElseThrow();
    get("/v1/rules", "", "Authorization", "Bearer " + ADMIN, "If-None-Match", etag);
    get("/v1/openapi.json", "");
    get("/v1/openapi.json", "", "X-Big", "x".repeat(40_000));
    send("/v1/openapi.json", HttpRequest.newBuilder(withTokens.uri("/v1/openapi.json")));

    Set<String> missing = new TreeSet<>(described());
    missing.removeAll(seen);
    missing.removeAll(NOT_SEEN);
    assertThat(missing).isEmpty();
  }

  private HttpClient client() {
    return client;
  }

  private void invalid(String path) throws Exception {
    post(path, "{");
    post(withTokens, path, "{}");
    post(withTokens, path, "{}", "Authorization", "Bearer " + TOKEN);
    post(path, "x".repeat((1 << 20) + 1));
    post(path, "{}", "Content-Type", "text/plain");
    post(path, "{}", "X-Big", "x".repeat(40_000));
    late(path);
  }

  /** Sends a request whose body does not come; the client of the JDK cannot do that. */
  private void late(String path) throws IOException {
    try (RawClient raw = new RawClient(server.server().port())) {
      raw.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
      String answer = raw.rest();
      assertThat(answer).startsWith("HTTP/1.1 408 ").contains("application/problem+json");
      JsonNode problem = JSON.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
      ObjectNode schema = JSON.createObjectNode().put("$ref", "#/components/schemas/Problem");
      schema.set("components", description.get("components"));
      assertThat(SCHEMAS.getSchema(schema).validate(problem)).isEmpty();
      seen.add("POST " + path + " 408");
    }
  }

  private static Set<String> described() {
    Set<String> described = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        method
            .getValue()
            .path("responses")
            .fieldNames()
            .forEachRemaining(
                status ->
                    described.add(
                        method.getKey().toUpperCase(Locale.ROOT)
                            + " "
                            + path.getKey()
                            + " "
                            + status));
      }
    }
    return described;
  }
}
