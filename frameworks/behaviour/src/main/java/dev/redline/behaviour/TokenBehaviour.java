package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/**
 * How an application finds users by the JWT of their requests, and API keys. A test class
 * implements this with an application that has the {@linkplain #properties properties}, {@code GET
 * /tokens/filter} without and {@code GET /tokens/method} with {@code @RateLimit("2/m")}. The header
 * {@code X-User} authenticates a user, at least for methods.
 */
public interface TokenBehaviour {
  /** Returns the address of the running application, on the loopback interface. */
  URI baseUri();

  /**
   * Returns the properties of the application.
   *
   * @param rule the index of the first rule
   */
  static Map<String, String> properties(int rule) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("rl.rules[" + rule + "].id", "per-user");
    properties.put("rl.rules[" + rule + "].path", "/tokens/filter");
    properties.put("rl.rules[" + rule + "].key", "userId");
    properties.put("rl.rules[" + rule + "].limit", "2/m");
    String perKey = "rl.rules[" + (rule + 1) + "].";
    properties.put(perKey + "id", "per-api-key");
    properties.put(perKey + "path", "/tokens/filter");
    properties.put(perKey + "key", "apiKey");
    properties.put(perKey + "onMissingIdentity", "SKIP");
    properties.put(perKey + "limit", "2/m");
    properties.put("rl.filter.exclude-patterns", "/tokens/method");
    properties.put("rl.identity.jwt.hmac-secret", secret());
    properties.put("rl.identity.jwt.on-invalid", "REJECT");
    return properties;
  }

  private static String secret() {
    return "a secret of more than thirty-two bytes";
  }

  /** Returns a header line with a token, signed with HS256. */
  private static String token(String user, String secret) {
    String signed = base64("{\"alg\":\"HS256\"}") + "." + base64("{\"sub\":\"" + user + "\"}");
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      byte[] signature = mac.doFinal(signed.getBytes(StandardCharsets.UTF_8));
      return "Authorization: Bearer "
          + signed
          + "."
          + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a request from another address each time. */
  private Response get(String path, String... headers) {
    return new LoopbackClient(baseUri()).get(path, headers);
  }

  private void assertCounted(String path, String... headers) {
    for (int i = 1; i >= 0; i--) {
      Response allowed = get(path, headers);
      assertThat(allowed.status()).as(allowed.toString()).isEqualTo(200);
      assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("" + i);
    }
    assertThat(get(path, headers).status()).isEqualTo(429);
  }

  /** A filter counts the user of a token, from any address. */
  @Test
  default void filterCountsTheUserOfAToken() {
    assertCounted("/tokens/filter", token("user-" + UUID.randomUUID(), secret()));
    assertCounted("/tokens/filter", token("user-" + UUID.randomUUID(), secret()));
  }

  /** The caller of a method is the user of the token. */
  @Test
  default void methodCountsTheUserOfAToken() {
    assertCounted("/tokens/method", token("user-" + UUID.randomUUID(), secret()));
    assertCounted("/tokens/method", token("user-" + UUID.randomUUID(), secret()));
  }

  /** Without a token the caller is known by the address. */
  @Test
  default void requestWithoutATokenHasNoUser() {
    for (String path : List.of("/tokens/filter", "/tokens/method")) {
      for (int i = 0; i < 4; i++) {
        Response allowed = get(path, "Authorization: Other abc");
        assertThat(allowed.status()).as(allowed.toString()).isEqualTo(200);
      }
    }
  }

  /** A client cannot make up a user. */
  @Test
  default void requestWithAnInvalidTokenIsDenied() {
    for (String path : List.of("/tokens/filter", "/tokens/method")) {
      for (String header :
          List.of(
              token("alice", "another secret of more than 32 bytes"), "Authorization: Bearer x")) {
        Response denied = get(path, header);
        assertThat(denied.status()).as(denied.toString()).isEqualTo(403);
        assertThat(denied.body()).contains("has no identity");
        assertThat(denied.headers()).doesNotContainKeys("X-RateLimit-Limit", "Retry-After");
      }
    }
  }

  /** A user whom the application authenticated is the caller, and the token is not read. */
  @Test
  default void authenticatedUserWinsOverTheToken() {
    String user = "X-User: user-" + UUID.randomUUID();
    for (int expected : List.of(200, 200, 429)) {
      Response response =
          get("/tokens/method", user, token(UUID.randomUUID().toString(), secret()));
      assertThat(response.status()).as(response.toString()).isEqualTo(expected);
    }
  }

  /** A client that sends a second API key gets no more than with one key. */
  @Test
  default void severalApiKeysOfARequestEvadeNothing() {
    String real = "X-API-Key: " + UUID.randomUUID();
    assertCounted("/tokens/filter", real);
    assertThat(get("/tokens/filter", real, real).status()).isEqualTo(429);

    assertCounted("/tokens/filter", real, "X-API-Key: other");
    for (int i = 0; i < 3; i++) {
      String other = "X-API-Key: " + UUID.randomUUID();
      assertThat(get("/tokens/filter", real, other).status()).isEqualTo(429);
      assertThat(get("/tokens/filter", other, real).status()).isEqualTo(429);
    }
  }
}
