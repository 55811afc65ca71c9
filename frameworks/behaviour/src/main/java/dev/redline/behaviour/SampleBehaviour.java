package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * What each endpoint of a sample application does. A test class extends this and starts its
 * application; the suite knows nothing but the address. Each test is another caller.
 */
public abstract class SampleBehaviour {
  private static final List<String> RATE_LIMIT_HEADERS =
      List.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");

  private final String user = UUID.randomUUID().toString();

  /** Returns the address of the running application, on the loopback interface. */
  protected abstract URI baseUri();

  private LoopbackClient client() {
    return new LoopbackClient(baseUri());
  }

  private static void assertAllowed(Response response, long limit, long remaining) {
    assertThat(response.status()).as(response.toString()).isEqualTo(200);
    assertNumbers(response, limit, remaining);
    assertThat(response.headers()).doesNotContainKey("Retry-After");
  }

  private static void assertNumbers(Response response, long limit, long remaining) {
    assertThat(response.headers()).containsKeys(RATE_LIMIT_HEADERS.toArray(String[]::new));
    assertThat(response.header("X-RateLimit-Limit")).isEqualTo(Long.toString(limit));
    assertThat(response.header("X-RateLimit-Remaining")).isEqualTo(Long.toString(remaining));
  }

  private static void assertDenied(Response response, long limit, String detail) {
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
  void annotationCountsEachUserAlone() {
    LoopbackClient client = client();
    for (int i = 4; i >= 0; i--) {
      assertAllowed(client.get("/work?user=" + user), 5, i);
    }
    assertDenied(client.get("/work?user=" + user), 5, "\"ruleId\":");
    assertAllowed(client.get("/work?user=other-" + user), 5, 4);
  }

  @Test
  void asynchronousMethodHasItsOwnBucket() {
    LoopbackClient client = client();
    client.get("/work?user=" + user);
    for (int i = 4; i >= 0; i--) {
      assertAllowed(client.get("/async?user=" + user), 5, i);
    }
    assertDenied(client.get("/async?user=" + user), 5, "\"ruleId\":");
  }

  @Test
  void waitingEndsWithSuccessBelowTheMaximumAndIsDeniedAtOnceAboveIt() throws Exception {
    LoopbackClient client = client();
    assertThat(client.get("/wait?user=" + user).status()).isEqualTo(200);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Timed>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(threads.submit(() -> timed(client)));
      }
      List<Timed> allowed = new ArrayList<>();
      List<Timed> denied = new ArrayList<>();
      for (Future<Timed> each : waiting) {
        Timed response = each.get();
        (response.response.status() == 200 ? allowed : denied).add(response);
      }

      // One token a second and at most 3 s: three of the five wait, two cannot be in time.
      assertThat(allowed).hasSize(3);
      assertThat(denied).hasSize(2).allMatch(each -> each.response.status() == 429);
      assertThat(denied).allMatch(each -> each.millis < 900);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A response, and how long it took. */
  private record Timed(Response response, long millis) {}

  private Timed timed(LoopbackClient client) {
    long start = System.nanoTime();
    Response response = client.get("/wait?user=" + user);
    return new Timed(response, (System.nanoTime() - start) / 1_000_000);
  }

  @Test
  void fallbackRespondsInPlaceOfADenial() {
    LoopbackClient client = client();
    for (int i = 1; i >= 0; i--) {
      assertAllowed(client.get("/fallback?user=" + user), 2, i);
    }

    Response fallback = client.get("/fallback?user=" + user);

    assertThat(fallback.status()).isEqualTo(200);
    assertThat(fallback.body()).isEqualTo("try later");
    assertThat(fallback.headers()).doesNotContainKeys("Retry-After", "X-RateLimit-Retry-After");
  }

  @Test
  void exceptionOfTheMethodReachesTheClientAndCostsOneToken() {
    LoopbackClient client = client();

    Response first = client.get("/boom");
    Response second = client.get("/boom");

    assertThat(first.status()).isEqualTo(500);
    assertThat(first.body()).contains("boom");
    assertNumbers(first, 10, 9);
    assertNumbers(second, 10, 8);
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
