package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * What the filter of an application or a gateway does: {@code GET /hello} has a rule of 10 per
 * minute and address, {@code GET /free} has none. A test class extends this and starts its
 * application; the suite knows nothing but the address. Each test is another caller.
 */
public abstract class FilterBehaviour {
  private static final List<String> RATE_LIMIT_HEADERS =
      List.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");

  /** Returns the address of the running application, on the loopback interface. */
  protected abstract URI baseUri();

  LoopbackClient client() {
    return new LoopbackClient(baseUri());
  }

  static void assertAllowed(Response response, long limit, long remaining) {
    assertThat(response.status()).as(response.toString()).isEqualTo(200);
    assertNumbers(response, limit, remaining);
    assertThat(response.headers()).doesNotContainKey("Retry-After");
  }

  static void assertNumbers(Response response, long limit, long remaining) {
    assertThat(response.headers()).containsKeys(RATE_LIMIT_HEADERS.toArray(String[]::new));
    assertThat(response.header("X-RateLimit-Limit")).isEqualTo(Long.toString(limit));
    assertThat(response.header("X-RateLimit-Remaining")).isEqualTo(Long.toString(remaining));
  }

  static void assertDenied(Response response, long limit, String detail) {
    assertThat(response.status()).as(response.toString()).isEqualTo(429);
    assertNumbers(response, limit, 0);
    assertThat(Long.parseLong(response.header("Retry-After"))).isPositive();
    assertThat(response.header("X-RateLimit-Retry-After"))
        .isEqualTo(response.header("Retry-After"));
    assertThat(response.header("Content-Type")).startsWith("application/problem+json");
    assertThat(response.body())
        .contains(
            "\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"",
            "\"title\":",
            "\"status\":429",
            "\"violated-policies\":[",
            "\"retryAfterMs\":",
            detail);
  }

  @Test
  void filterAllowsTenRequestsThenDeniesUntilTheAdvertisedTime() throws InterruptedException {
    LoopbackClient client = client();
    for (int i = 9; i >= 0; i--) {
      assertAllowed(client.get("/hello"), 10, i);
    }
    Response denied = client.get("/hello");
    assertDenied(denied, 10, "\"ruleId\":");

    Thread.sleep(Duration.ofSeconds(Long.parseLong(denied.header("Retry-After"))).toMillis());

    assertThat(client.get("/hello").status()).isEqualTo(200);
  }

  @Test
  void filterCountsEachAddressAlone() {
    LoopbackClient first = client();
    exhaustHello(first);

    assertAllowed(client().get("/hello"), 10, 9);
  }

  private static void exhaustHello(LoopbackClient client) {
    for (int i = 0; i < 10; i++) {
      assertThat(client.get("/hello").status()).isEqualTo(200);
    }
  }

  @Test
  void simultaneousRequestsOfOneAddressShareItsTokens() throws Exception {
    LoopbackClient client = client();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    long start = System.nanoTime();
    try {
      List<Future<Response>> requests = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        requests.add(threads.submit(() -> client.get("/hello")));
      }
      int allowed = 0;
      for (Future<Response> each : requests) {
        allowed += each.get().status() == 200 ? 1 : 0;
      }

      // A token comes back every 6 s.
      long refilled = Duration.ofNanos(System.nanoTime() - start).toSeconds() / 6;
      assertThat(allowed).isBetween(10, 10 + (int) refilled);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void rotatingForwardedForOfAnUntrustedPeerGainsNothing() {
    LoopbackClient client = client();
    for (int i = 0; i < 10; i++) {
      Response response = client.get("/hello", "X-Forwarded-For: 198.51.100." + i);
      assertThat(response.status()).isEqualTo(200);
    }

    assertThat(client.get("/hello", "X-Forwarded-For: 198.51.100.99").status()).isEqualTo(429);
    assertThat(client.get("/hello", "Forwarded: for=198.51.100.98").status()).isEqualTo(429);
  }

  @Test
  void noSpellingOfThePathEvadesTheRule() {
    LoopbackClient client = client();
    exhaustHello(client);

    for (String spelling :
        List.of(
            "/hello",
            "/hello/",
            "//hello",
            "/./hello",
            "/x/../hello",
            "/%68ello",
            "/%2568ello",
            "/hello;a=b",
            "/hello?x=1",
            "/hello%2F",
            "/hello%3Bx",
            "/\\hello")) {
      Response response = client.get(spelling);
      assertThat(response.status()).as(spelling + ": " + response).isGreaterThanOrEqualTo(400);
    }
  }

  @Test
  void requestWithoutLimitsHasNoHeaders() {
    Response response = client().get("/free");

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.headers())
        .doesNotContainKeys(RATE_LIMIT_HEADERS.toArray(String[]::new))
        .doesNotContainKey("Retry-After");
  }

  @Test
  void preflightIsNotCounted() {
    LoopbackClient client = client();

    client.send(
        "OPTIONS",
        "/hello",
        List.of("Origin: https://shop.example", "Access-Control-Request-Method: GET"));

    assertAllowed(client.get("/hello"), 10, 9);
  }

  @Test
  void headersAreExposedToOtherOrigins() {
    Response response = client().get("/hello", "Origin: https://shop.example");

    assertThat(response.header("Access-Control-Expose-Headers"))
        .contains("Retry-After", "X-RateLimit-Remaining");
  }
}
