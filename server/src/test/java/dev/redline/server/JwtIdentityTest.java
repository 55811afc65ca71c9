package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.redline.server.wiring.StartupFailure;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class JwtIdentityTest {
  private static final String SECRET = "a secret of more than thirty-two bytes";
  private static final String RULES =
      """
      rules:
        - { id: per-user, path: /api/**, key: userId, limit: 2/d, onMissingIdentity: REJECT }
      """;

  private static TestServer ignoring;
  private static TestServer rejecting;

  @BeforeAll
  static void start() throws IOException {
    ignoring = TestServer.start(RULES, Map.of("rl.identity.jwt.hmac-secret", SECRET));
    rejecting =
        TestServer.start(
            RULES,
            Map.of("rl.identity.jwt.hmac-secret", SECRET, "rl.identity.jwt.on-invalid", "REJECT"));
  }

  @AfterAll
  static void stop() {
    ignoring.close();
    rejecting.close();
  }

  private static String token(String user) {
    return token(user, SECRET, Instant.now().plusSeconds(600));
  }

  private static String token(String user, String secret, Instant expiry) {
    try {
      SignedJWT jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims(user, expiry));
      jwt.sign(new MACSigner(secret));
      return jwt.serialize();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static JWTClaimsSet claims(String user, Instant expiry) {
    return new JWTClaimsSet.Builder().subject(user).expirationTime(Date.from(expiry)).build();
  }

  static List<String> invalidTokens() {
    Instant later = Instant.now().plusSeconds(600);
    return List.of(
        new PlainJWT(claims("alice", later)).serialize(),
        token("alice", "another secret of more than 32 bytes", later),
        token("alice", SECRET, Instant.now().minusSeconds(1)),
        token("alice").substring(1),
        "opaque");
  }

  private static String user() {
    return "user-" + UUID.randomUUID();
  }

  private static String check(String authorization, String more) {
    return "{\"request\":{\"path\":\"/api/x\",\"headers\":{\"authorization\":\""
        + authorization
        + "\"}"
        + more
        + "}}";
  }

  private static HttpResponse<String> forwardAuth(TestServer server, String... authorization) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri("/v1/forward-auth")).header("X-Forwarded-Uri", "/api/x");
    for (String value : authorization) {
      request.header("Authorization", value);
    }
    return server.send(request);
  }

  @Test
  void validTokenIsItsSubjectOnEveryEndpoint() {
    for (TestServer server : List.of(ignoring, rejecting)) {
      String user = user();
      String bearer = "Bearer " + token(user);
      assertThat(server.post("/v1/check", check(bearer, "")).statusCode()).isEqualTo(200);
      JsonNode batch = server.ask("/v1/check/batch", "{\"checks\":[" + check(bearer, "") + "]}");
      assertThat(batch.at("/decisions/0/allowed").asBoolean()).isTrue();
      assertThat(forwardAuth(server, bearer).statusCode()).isEqualTo(429);
      JsonNode explained = server.ask("/v1/explain", check(bearer, ""));
      assertThat(explained.at("/rules/0/identity").asString()).isEqualTo(user);
      JsonNode direct =
          server.ask(
              "/v1/check", "{\"request\":{\"path\":\"/api/x\",\"userId\":\"" + user + "\"}}");
      assertThat(direct.at("/reason").asString()).isEqualTo("LIMIT_EXCEEDED");
    }
  }

  @ParameterizedTest
  @MethodSource("invalidTokens")
  void invalidTokenIsNoIdentity(String token) {
    // The rule demands a user, so a request without one is denied, and alice's bucket is not used.
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> response = ignoring.post("/v1/check", check("Bearer " + token, ""));
      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(response.body()).contains("MISSING_IDENTITY").contains("per-user");
      assertThat(forwardAuth(ignoring, "Bearer " + token).statusCode()).isEqualTo(403);
    }
    JsonNode alice =
        ignoring.ask(
            "/v1/check",
            "{\"dryRun\":true,\"request\":{\"path\":\"/api/x\",\"userId\":\"alice\"}}");
    assertThat(alice.at("/remaining").asLong()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("invalidTokens")
  void invalidTokenIsDeniedWhereItIsToBeRejected(String token) {
    String open = check("Bearer " + token, "").replace("/api/x", "/open");
    HttpResponse<String> response = rejecting.post("/v1/check", open);
    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(response.body()).isEqualTo("{\"allowed\":false,\"reason\":\"MISSING_IDENTITY\"}");
    assertThat(rejecting.ask("/v1/explain", open).at("/decision/reason").asString())
        .isEqualTo("MISSING_IDENTITY");
    assertThat(
            rejecting
                .ask("/v1/check/batch", "{\"checks\":[" + open + "]}")
                .at("/decisions/0/reason")
                .asString())
        .isEqualTo("MISSING_IDENTITY");
    HttpResponse<String> forwarded = forwardAuth(rejecting, "Bearer " + token);
    assertThat(forwarded.statusCode()).isEqualTo(403);
    assertThat(forwarded.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(forwarded.headers().firstValue("Retry-After")).isEmpty();
  }

  @Test
  void givenUserWinsOverToken() {
    String user = user();
    HttpResponse<String> response =
        rejecting.post("/v1/check", check("Bearer opaque", ",\"userId\":\"" + user + "\""));
    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void otherSchemesAndMissingTokensAreNotInvalid() {
    assertThat(rejecting.post("/v1/check", check("Basic abc", "")).body()).contains("per-user");
    assertThat(rejecting.post("/v1/check", "{\"request\":{\"path\":\"/open\"}}").statusCode())
        .isEqualTo(200);
    assertThat(forwardAuth(rejecting, "Basic abc").body()).contains("per-user");
  }

  @Test
  void differentTokensAreInvalid() {
    String one = "Bearer " + token(user());
    String two = "Bearer " + token(user());
    assertThat(forwardAuth(rejecting, one, one).statusCode()).isEqualTo(200);
    String list =
        "{\"request\":{\"path\":\"/open\",\"headers\":{\"Authorization\":[\""
            + one
            + "\",\""
            + two
            + "\"]}}}";
    assertThat(rejecting.post("/v1/check", list).statusCode()).isEqualTo(403);
  }

  /** The application behind the proxy may read the first one, and the limit would not count. */
  @Test
  void forwardAuthRejectsSeveralValuesOfAuthorization() {
    String one = "Bearer " + token(user());
    for (TestServer server : List.of(ignoring, rejecting)) {
      for (String other : List.of("Bearer " + token(user()), "Basic abc", "Bearer opaque")) {
        HttpResponse<String> response = forwardAuth(server, one, other);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Authorization has several different values");
      }
    }
  }

  @Test
  void everyWhitespaceSeparatesSchemeAndToken() {
    String user = user();
    for (int i = 0; i < 2; i++) {
      assertThat(forwardAuth(ignoring, "Bearer\t" + token(user)).statusCode()).isEqualTo(200);
    }
    assertThat(forwardAuth(ignoring, "Bearer " + token(user)).statusCode()).isEqualTo(429);
    assertThat(forwardAuth(rejecting, "Bearer").body()).doesNotContain("per-user");
  }

  @Test
  void settingsWithoutKeyAreRejected() {
    Assertions.assertThatThrownBy(
            () -> TestServer.start(RULES, Map.of("rl.identity.jwt.on-invalid", "REJECT")))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.identity.jwt.hmac-secret");
    for (String location : List.of("https://", "ftp://x/jwks.json", "htps://x/jwks.json")) {
      Assertions.assertThatThrownBy(
              () -> TestServer.start(RULES, Map.of("rl.identity.jwt.jwks", location)))
          .isInstanceOf(StartupFailure.class)
          .hasMessageContaining("rl.identity.jwt.jwks");
    }
  }
}
