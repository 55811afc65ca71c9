package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.server.wiring.StartupFailure;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code rl.server.caller-limit}: how many requests each caller of the service may send. */
class CallerLimitTest {
  private static final String RULES = "rules: [{ id: r, path: /r, limit: 1000/s }]";
  private static final String GATEWAY = "token-of-the-gateway";
  private static final String JOBS = "token-of-the-batch-job";

  private static HttpResponse<String> check(TestServer server, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri("/v1/check"))
            .POST(BodyPublishers.ofString("{\"request\":{\"path\":\"/r\"}}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return server.send(request);
  }

  private static void assertLimited(HttpResponse<String> response) {
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(response.headers().firstValueAsLong("Retry-After").orElseThrow())
        .isBetween(1000L, 3600L);
    assertThat(response.body()).contains("rl.server.caller-limit");
  }

  @Test
  void deniesCallerBeyondItsLimitWith503AndLetsOthersCall() throws IOException {
    try (TestServer server =
        TestServer.start(
            RULES,
            Map.of(
                "rl.server.caller-limit", "2/h",
                "rl.server.auth.tokens.gateway", GATEWAY,
                "rl.server.auth.tokens.jobs", JOBS))) {
      assertThat(check(server, "Authorization", "Bearer " + GATEWAY).statusCode()).isEqualTo(200);
      assertThat(check(server, "X-Redline-Token", GATEWAY).statusCode()).isEqualTo(200);
      assertLimited(check(server, "X-Redline-Token", GATEWAY));
      assertLimited(check(server, "Authorization", "Bearer " + GATEWAY));

      assertThat(check(server, "X-Redline-Token", JOBS).statusCode()).isEqualTo(200);
      assertThat(check(server).statusCode()).isEqualTo(401);
      assertThat(server.get(server.management("/actuator/prometheus")).body())
          .contains("ratelimit_callers_limited_total 2.0");
    }
  }

  @Test
  void knowsCallersWithoutTokenByTheirAddress() throws IOException {
    try (TestServer server =
        TestServer.start(RULES, Map.of("rl.server.caller-limit", "1/h burst 1"))) {
      assertThat(check(server).statusCode()).isEqualTo(200);
      assertThat(check(server, "X-Forwarded-For", "203.0.113.9").statusCode()).isEqualTo(200);
      assertLimited(check(server, "X-Forwarded-For", "203.0.113.10"));
      assertLimited(server.send(HttpRequest.newBuilder(server.uri("/v1/rules"))));
    }
  }

  @Test
  void rejectsLimitThatCannotBeRead() {
    assertThatThrownBy(
            () -> TestServer.start(RULES, Map.of("rl.server.caller-limit", "many")).close())
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.caller-limit: 'many'")
        .hasMessageContaining("1000/s burst 200");
  }
}
