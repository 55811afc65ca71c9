package dev.redline.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Talks to the admin API of a server with one token. */
record AdminClient(TestServer server, String token) {
  static final String RULES =
      """
      version: 4
      plans: [{ id: gold, limit: 100/s }]
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: 1/d }
      ruleSets:
        - id: orders
          rules: [{ id: per-user, path: /orders/**, key: userId, limit: 2/d }]
      """;

  /** Returns the properties of an editor {@code ci} and a viewer {@code eye}. */
  static Map<String, String> tokens() {
    return Map.of(
        "rl.admin.tokens.ci.role",
        "editor",
        "rl.admin.tokens.ci.value",
        "editor-token-of-tests",
        "rl.admin.tokens.eye.role",
        "viewer",
        "rl.admin.tokens.eye.value",
        "viewer-token-of-tests");
  }

  static AdminClient editor(TestServer server) {
    return new AdminClient(server, "editor-token-of-tests");
  }

  static AdminClient viewer(TestServer server) {
    return new AdminClient(server, "viewer-token-of-tests");
  }

  HttpRequest.Builder request(URI uri) {
    return HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token);
  }

  HttpRequest.Builder request(String path) {
    return request(server.management("/admin/v1/" + path));
  }

  HttpResponse<String> get(String path) {
    return server.send(request(path));
  }

  HttpResponse<String> post(String path, String body) {
    return send("POST", path, body);
  }

  HttpResponse<String> send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return server.send(request);
  }

  HttpResponse<String> put(String id, String etag, String body) {
    return send("PUT", "rules/" + id, body, "If-Match", etag);
  }

  HttpResponse<String> delete(String id, String etag) {
    return server.send(request("rules/" + id).header("If-Match", etag).DELETE());
  }

  String etag(String id) {
    return get("rules/" + id).headers().firstValue("ETag").orElseThrow();
  }

  JsonNode json(String path) {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.json(response);
  }

  long version() {
    return json("rules").get("version").asLong();
  }

  String rulesPage() {
    return server.send(request(server.management("/v1/rules"))).body();
  }

  /** Asserts that an answer is a problem document of a status. */
  static JsonNode problem(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    JsonNode problem = TestServer.json(response);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("title").asString()).isNotEmpty();
    assertThat(problem.get("detail").asString()).isNotEmpty().doesNotContain("Exception");
    return problem;
  }
}
