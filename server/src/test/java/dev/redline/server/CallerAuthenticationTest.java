package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.server.wiring.ServerOptions;
import dev.redline.server.wiring.StartupFailure;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallerAuthenticationTest {
  private static final String TOKEN = "token-of-the-gateway";
  private static final String OTHER = "token-of-the-batch-job";
  private static final String ADMIN = "token-of-an-admin-viewer";

  @TempDir static Path directory;
  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    Path file = Files.writeString(directory.resolve("token"), OTHER + "\n");
    server =
        TestServer.start(
            "rules: [{ id: closed, path: /closed, action: DENY }]",
            Map.of(
                "rl.server.auth.tokens.gateway",
                TOKEN,
                "rl.server.auth.tokens.jobs-file",
                file.toString(),
                "rl.admin.tokens.ci.role",
                "viewer",
                "rl.admin.tokens.ci.value",
                ADMIN));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> post(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path)).POST(BodyPublishers.ofString("{\"request\":{}}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return server.send(request);
  }

  private static HttpResponse<String> get(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return server.send(request);
  }

  private static void assertUnauthorized(HttpResponse<String> response) {
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(response.headers().firstValue("WWW-Authenticate"))
        .get()
        .asString()
        .startsWith("Bearer ");
    assertThat(response.body()).contains("\"status\":401").contains("rl.server.auth.tokens");
  }

  @Test
  void acceptsEveryTokenInBothHeaders() {
    for (String token : new String[] {TOKEN, OTHER}) {
      assertThat(post("/v1/check", "Authorization", "Bearer " + token).statusCode()).isEqualTo(200);
      assertThat(post("/v1/check", "Authorization", "bearer  " + token).statusCode())
          .isEqualTo(200);
      assertThat(post("/v1/check", "X-Redline-Token", token).statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/check",
        "/v1/check/batch",
        "/v1/explain",
        "/v1/forward-auth",
        "/v1/openapi.json",
        "/nowhere"
      })
  void rejectsCallersWithoutValidToken(String path) {
    assertUnauthorized(post(path));
    assertUnauthorized(post(path, "Authorization", "Bearer " + TOKEN + "x"));
    assertUnauthorized(post(path, "Authorization", "Basic " + TOKEN));
    assertUnauthorized(post(path, "Authorization", TOKEN));
    assertUnauthorized(post(path, "X-Redline-Token", ""));
    assertUnauthorized(post(path, "Authorization", "Bearer " + ADMIN));
  }

  @Test
  void wrongTokensAreNeverAnsweredWith429() {
    for (int i = 0; i < 50; i++) {
      assertUnauthorized(post("/v1/check", "X-Redline-Token", "wrong-" + i));
    }
    assertThat(post("/v1/check", "X-Redline-Token", TOKEN).statusCode()).isEqualTo(200);
  }

  @Test
  void forwardAuthLeavesAuthorizationToTheClient() {
    assertThat(
            get(
                    "/v1/forward-auth",
                    "X-Redline-Token",
                    TOKEN,
                    "Authorization",
                    "Bearer of-the-client",
                    "X-Forwarded-Uri",
                    "/open")
                .statusCode())
        .isEqualTo(200);
    assertUnauthorized(
        get(
            "/v1/forward-auth",
            "Authorization",
            "Bearer of-the-client",
            "X-Forwarded-Uri",
            "/open"));
  }

  @Test
  void rulesNeedAnAdminTokenInstead() {
    assertThat(get("/v1/rules").statusCode()).isEqualTo(401);
    assertThat(get("/v1/rules", "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(401);
    assertThat(get("/v1/rules", "X-Redline-Token", TOKEN).statusCode()).isEqualTo(401);
    assertThat(get("/v1/rules", "Authorization", "Bearer " + ADMIN).statusCode()).isEqualTo(200);
  }

  @Test
  void readsTokensFromTheEnvironment() throws IOException {
    Path rules = Files.writeString(directory.resolve("rules.yaml"), "rules: []");
    Path file = Files.writeString(directory.resolve("other"), OTHER);
    Map<String, String> flags = new HashMap<>(TestServer.onFreePorts());
    flags.put("rl.config.path", rules.toString());
    Map<String, String> variables =
        Map.of(
            "RL_SERVER_AUTH_TOKENS_GATEWAY",
            TOKEN,
            "RL_SERVER_AUTH_TOKENS_JOBS_FILE",
            file.toString());
    try (TestServer other =
        TestServer.start(new ServerOptions(flags, variables, Optional.empty()))) {
      for (String token : new String[] {TOKEN, OTHER}) {
        assertThat(
                other
                    .send(
                        HttpRequest.newBuilder(other.uri("/v1/check"))
                            .header("X-Redline-Token", token)
                            .POST(BodyPublishers.ofString("{\"request\":{}}")))
                    .statusCode())
            .isEqualTo(200);
      }
      assertThat(other.post("/v1/check", "{\"request\":{}}").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void doesNotStartWithEmptyToken() {
    assertThatThrownBy(
            () -> TestServer.start("rules: []", Map.of("rl.server.auth.tokens.gateway", "")))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.auth.tokens.gateway");
  }

  @Test
  void doesNotStartWithEmptyTokenFile(@TempDir Path folder) throws IOException {
    Path empty = Files.writeString(folder.resolve("token"), "\n");
    assertThatThrownBy(
            () ->
                TestServer.start(
                    "rules: []", Map.of("rl.server.auth.tokens.gateway-file", empty.toString())))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.auth.tokens.gateway-file")
        .hasMessageContaining("must not be empty");
  }
}
