package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class AccessTest {
  private static final String RULE = "{\"id\":\"new\",\"limit\":\"3/d\"}";

  @TempDir Path temporary;

  private static HttpResponse<String> get(TestServer server, URI uri, String authorization) {
    return server.send(HttpRequest.newBuilder(uri).header("Authorization", authorization));
  }

  @Test
  void rejectsRequestsWithoutValidToken() throws IOException {
    try (TestServer server = TestServer.start(AdminClient.RULES, AdminClient.tokens())) {
      List<URI> uris =
          List.of(
              server.management("/admin/v1/rules"),
              server.management("/admin/v1/nowhere"),
              server.management("/admin/v1/audit"),
              server.management("/v1/rules"),
              server.uri("/v1/rules"));
      for (URI uri : uris) {
        for (HttpResponse<String> rejected :
            List.of(
                server.get(uri), get(server, uri, "Basic Y2k6"), get(server, uri, "Bearer no"))) {
          problem(rejected, 401);
          assertThat(rejected.headers().firstValue("WWW-Authenticate"))
              .hasValueSatisfying(value -> assertThat(value).startsWith("Bearer"));
        }
        int status = get(server, uri, "bearer viewer-token-of-tests").statusCode();
        assertThat(status).isEqualTo(uri.getPath().endsWith("nowhere") ? 404 : 200);
      }
      assertThat(server.get(server.management("/actuator/health")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void viewerMayReadButNotChange() throws IOException {
    try (TestServer server = TestServer.start(AdminClient.RULES, AdminClient.tokens())) {
      AdminClient viewer = AdminClient.viewer(server);

      problem(viewer.post("rules", RULE), 403);
      problem(viewer.put("per-ip", "*", RULE), 403);
      problem(viewer.delete("per-ip", "*"), 403);
      problem(viewer.post("reload", ""), 403);
      problem(viewer.post("buckets/reset", "{\"ruleId\":\"per-ip\"}"), 403);
      problem(viewer.post("history/1/restore", ""), 403);
      for (String path : List.of("rules", "rules/per-ip", "history", "audit", "stats")) {
        assertThat(viewer.get(path).statusCode()).as(path).isEqualTo(200);
      }
      assertThat(viewer.post("validate", "{\"rules\":[]}").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void limitsFailedLoginsExceptForKnownTokens() throws IOException {
    try (TestServer server = TestServer.start(AdminClient.RULES, AdminClient.tokens())) {
      AdminClient.viewer(server).json("rules");
      URI uri = server.management("/admin/v1/rules");
      HttpResponse<String> answer = get(server, uri, "Bearer guess");
      for (int i = 0; i < 100 && answer.statusCode() == 401; i++) {
        answer = get(server, uri, "Bearer guess" + i);
      }

      problem(answer, 429);
      assertThat(Long.parseLong(answer.headers().firstValue("Retry-After").orElseThrow()))
          .isBetween(1L, 60L);
      assertThat(AdminClient.viewer(server).get("rules").statusCode())
          .as("was let in before")
          .isEqualTo(200);
      problem(AdminClient.editor(server).get("rules"), 429);
      problem(get(server, server.uri("/v1/rules"), "Bearer guess"), 429);
    }
  }

  @Test
  void generatesAndKeepsTokenIfNoneIsConfigured() throws IOException {
    Path data = temporary.resolve("data");
    String token;
    try (TestServer server =
        TestServer.start(AdminClient.RULES, Map.of("rl.data-dir", data.toString()))) {
      Path file = data.resolve("admin-token");
      assertThat(server.server().adminTokenFile()).hasValue(file);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      token = Files.readString(file).strip();
      assertThat(token).hasSizeGreaterThan(40);
      AdminClient admin = new AdminClient(server, token);
      assertThat(admin.post("rules", RULE).statusCode()).isEqualTo(201);
      JsonNode latest = admin.json("audit").get(0);
      assertThat(latest.get("by").asString()).isEqualTo("admin");
    }
    try (TestServer server =
        TestServer.start(AdminClient.RULES, Map.of("rl.data-dir", data.toString()))) {
      AdminClient admin = new AdminClient(server, token);
      assertThat(admin.get("rules/new").statusCode()).as("after a restart").isEqualTo(200);
      assertThat(admin.version()).isEqualTo(5);
    }
  }

  @Test
  void closesAdminApiIfTokenCannotBeStored() throws IOException {
    Path notADirectory = Files.writeString(temporary.resolve("file"), "");
    try (TestServer server =
        TestServer.start(AdminClient.RULES, Map.of("rl.data-dir", notADirectory.toString()))) {
      assertThat(server.server().adminTokenFile()).isEmpty();
      assertThat(server.post("/v1/check", "{\"request\":{}}").statusCode()).isEqualTo(200);
      problem(new AdminClient(server, "x").get("rules"), 401);
    }
  }

  @Test
  void readsTokenFromFile() throws IOException {
    Path file = Files.writeString(temporary.resolve("token"), "from-a-file-of-tests\n");
    try (TestServer server =
        TestServer.start(
            AdminClient.RULES,
            Map.of(
                "rl.admin.tokens.deploy.role",
                "editor",
                "rl.admin.tokens.deploy.file",
                file.toString()))) {
      assertThat(new AdminClient(server, "from-a-file-of-tests").post("rules", RULE).statusCode())
          .isEqualTo(201);
      assertThat(server.server().adminTokenFile()).isEmpty();
    }
  }
}
