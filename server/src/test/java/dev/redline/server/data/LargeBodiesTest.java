package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.server.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of 64 KiB and more, which are read and decided on threads of their own. */
@Timeout(120)
class LargeBodiesTest {
  private static final String PADDING = "x".repeat(JsonBody.LARGE_BYTES);

  private final LocalStore store = new LocalStore();
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger deciding = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private DataPlane dataPlane;

  /** Simulates the time that a large body takes. */
  private String slowKey(RequestContext request) {
    deciding.incrementAndGet();
    try {
      assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "somebody";
  }

  @BeforeEach
  void start() throws Exception {
    RateLimitBand oneAnHour = RateLimitBand.of(1, 1, Duration.ofHours(1));
    RateLimitRule slow =
        RateLimitRule.builder()
            .id("slow")
            .path("/slow/**")
            .keyResolver(this::slowKey)
            .addBand(oneAnHour)
            .build();
    RateLimitRule once =
        RateLimitRule.builder().id("once").path("/once/**").addBand(oneAnHour).build();
    RateLimitEngine engine = RateLimitEngine.builder(store).book(RuleBook.of(slow, once)).build();
    dataPlane = new TestDataPlane().start(engine);
  }

  @AfterEach
  void stop() {
    release.countDown();
    dataPlane.stop();
    store.close();
  }

  private CompletableFuture<HttpResponse<String>> post(String endpoint, byte[] body) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://localhost:" + dataPlane.port() + endpoint))
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> post(String endpoint, String body) {
    return post(endpoint, body.getBytes(StandardCharsets.UTF_8));
  }

  private static String check(String path) {
    return "{\"request\":{\"path\":\"" + path + "\"}}";
  }

  private static String http(String endpoint, String body) {
    return "POST "
        + endpoint
        + " HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @Test
  void decidesLargeChecks() {
    HttpResponse<String> allowed = post("/v1/check", check("/once/" + PADDING)).join();
    HttpResponse<String> denied = post("/v1/check", check("/once/" + PADDING)).join();

    assertThat(allowed.statusCode()).isEqualTo(200);
    assertThat(allowed.body()).contains("\"ruleId\":\"once\"").contains("\"remaining\":0");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void decidesLargeBatchesInOrder() {
    List<String> checks = new ArrayList<>(Collections.nCopies(3, check("/once/" + PADDING)));
    checks.add(1, "{\"ruleId\":\"unknown\",\"identity\":\"i\"}");
    checks.add("{\"plan\":1}");

    HttpResponse<String> response =
        post("/v1/check/batch", "{\"checks\":[" + String.join(",", checks) + "]}").join();

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body())
        .matches(
            "\\{\"decisions\":\\[\\{\"allowed\":true.*\"status\":404.*\"allowed\":false"
                + ".*\"allowed\":false.*\"status\":400.*]}");
  }

  @Test
  void explainsLargeChecks() {
    HttpResponse<String> response = post("/v1/explain", check("/once/" + PADDING)).join();

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("\"ruleId\":\"once\"").contains("\"matched\":true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/check/batch", "/v1/explain"})
  void rejectsInvalidLargeBodies(String endpoint) {
    byte[] notUtf8 = check("/" + PADDING).getBytes(StandardCharsets.UTF_8);
    notUtf8[notUtf8.length / 2] = (byte) 0xC0;

    assertThat(post(endpoint, "{\"request\":" + PADDING).join().statusCode()).isEqualTo(400);
    assertThat(post(endpoint, notUtf8).join().body()).contains("it is not UTF-8");
    assertThat(post(endpoint, "{\"" + PADDING + "\":1}").join().statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/explain"})
  void namesAnUnknownRuleOfLargeBody(String endpoint) {
    HttpResponse<String> response =
        post(endpoint, "{\"ruleId\":\"unknown\",\"identity\":\"" + PADDING + "\"}").join();

    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("unknown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/check/batch"})
  void answersSmallChecksWhileLargeBodiesAreSlow(String endpoint) {
    int loops = Runtime.getRuntime().availableProcessors();
    String slow = check("/slow/" + PADDING);
    String body = endpoint.equals("/v1/check") ? slow : "{\"checks\":[" + slow + "]}";
    List<CompletableFuture<HttpResponse<String>>> large = new ArrayList<>();
    for (int i = 0; i < 2 * loops; i++) {
      large.add(post(endpoint, body));
    }
    await().until(() -> deciding.get() >= 1);

    for (int i = 0; i < 2 * loops; i++) {
      CompletableFuture<HttpResponse<String>> small = post("/v1/check", check("/elsewhere"));
      assertThat(small.orTimeout(20, TimeUnit.SECONDS).join().statusCode()).isEqualTo(200);
    }
    assertThat(large).noneMatch(CompletableFuture::isDone);

    release.countDown();
    // One that waited for more than a second gets 503.
    assertThat(large)
        .allSatisfy(each -> assertThat(each.join().body()).containsAnyOf("\"slow\"", "overloaded"))
        .anySatisfy(each -> assertThat(each.join().body()).contains("\"slow\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/check/batch", "/v1/explain"})
  void answersLargeBodiesBeyondTheLimitWith503(String endpoint) {
    int loops = Runtime.getRuntime().availableProcessors();
    String check = check("/slow/" + "x".repeat(1_000_000));
    String body = endpoint.endsWith("batch") ? "{\"checks\":[" + check + "]}" : check;
    List<CompletableFuture<HttpResponse<String>>> large = new ArrayList<>();
    for (int i = 0; i < 16 * loops; i++) {
      large.add(post(endpoint, body));
    }

    await().until(() -> large.stream().anyMatch(CompletableFuture::isDone));
    HttpResponse<String> rejected =
        large.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow().join();
    assertThat(rejected.statusCode()).isEqualTo(503);
    assertThat(rejected.headers().firstValue("Retry-After")).hasValue("1");
    // Bodies that wait leave room for small ones on every event loop.
    for (int i = 0; i < 4 * loops; i++) {
      HttpClient other = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      HttpRequest small =
          HttpRequest.newBuilder(URI.create("http://localhost:" + dataPlane.port() + "/v1/check"))
              .POST(BodyPublishers.ofString(check("/elsewhere")))
              .build();
      assertThat(other.sendAsync(small, BodyHandlers.ofString()).join().statusCode())
          .isEqualTo(200);
    }

    release.countDown();
    large.forEach(CompletableFuture::join);
    // The memory is free again, also that of bodies that got 503: it has room for more of them than
    // fit at once.
    String next = check("/once/" + "x".repeat(1_000_000));
    for (int i = 0; i < 16 * loops; i++) {
      assertThat(post("/v1/check", next).join().statusCode()).isNotEqualTo(503);
    }
  }

  /** Keeps all threads for large bodies busy until the release. */
  private List<CompletableFuture<HttpResponse<String>>> occupyThreads() {
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    List<CompletableFuture<HttpResponse<String>>> busy = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      busy.add(post("/v1/check", check("/slow/" + PADDING)));
    }
    await().until(() -> deciding.get() == threads);
    return busy;
  }

  /** Returns once all event loops have seen the end of connections that were closed before. */
  private void awaitEndOfConnections() throws IOException {
    // New connections go to all event loops.
    for (int i = 0; i < 20; i++) {
      try (RawClient small = new RawClient(dataPlane.port())) {
        small.send(http("/v1/check", check("/elsewhere")));
        assertThat(small.response().status()).isEqualTo(200);
      }
    }
  }

  /** Waits longer than a large body may wait. */
  private static void waitTooLong() {
    await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
  }

  @Test
  void decidesNothingForClientsThatHaveGone() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> busy = occupyThreads();
    try (RawClient gone = new RawClient(dataPlane.port())) {
      gone.send(http("/v1/check", check("/slow/" + PADDING)));
    }
    awaitEndOfConnections();

    release.countDown();
    busy.forEach(each -> assertThat(each.join().body()).contains("\"slow\""));
    assertThat(post("/v1/check", check("/slow/" + PADDING)).join().body()).contains("\"slow\"");
    assertThat(deciding).hasValue(busy.size() + 1);
  }

  @Test
  void endsBatchWhoseClientHasGone() throws Exception {
    String slow = check("/slow/" + PADDING);
    try (RawClient gone = new RawClient(dataPlane.port())) {
      gone.send(http("/v1/check/batch", "{\"checks\":[" + slow + "," + slow + "]}"));
      await().until(() -> deciding.get() == 1);
    }
    awaitEndOfConnections();

    release.countDown();
    assertThat(post("/v1/check", slow).join().body()).contains("\"slow\"");
    assertThat(deciding).hasValue(2);
  }

  @Test
  void answersLargeBodiesThatWaitedTooLongWith503() {
    List<CompletableFuture<HttpResponse<String>>> busy = occupyThreads();
    CompletableFuture<HttpResponse<String>> late = post("/v1/check", check("/slow/" + PADDING));
    waitTooLong();

    release.countDown();
    assertThat(late.join().statusCode()).isEqualTo(503);
    busy.forEach(each -> assertThat(each.join().body()).contains("\"slow\""));
  }

  @Test
  void shutdownServesLargeBodiesHoweverLongTheyWaited() throws Exception {
    occupyThreads();
    try (RawClient late = new RawClient(dataPlane.port())) {
      late.send(http("/v1/check", check("/slow/" + PADDING)));
      waitTooLong();
      Thread stopping = new Thread(dataPlane::stop);
      stopping.start();
      // From then on responses say that they are the last ones.
      await()
          .until(
              () -> {
                HttpResponse<String> small = post("/v1/check", check("/elsewhere")).join();
                return small.headers().firstValue("Connection").isPresent();
              });

      release.countDown();
      RawClient.Response response = late.response();
      assertThat(response.status()).isEqualTo(429);
      assertThat(response.head()).containsIgnoringCase("connection: close");
      stopping.join();
    }
  }

  @Test
  void cutsNoCharacterInErrors() {
    // One of them has its second surrogate behind the cut.
    for (String start : List.of("", "a")) {
      String value = start + "😀".repeat(1000);
      HttpResponse<String> response =
          post("/v1/check", "{\"request\":{\"clientIp\":\"" + value + "\"}}").join();

      assertThat(response.statusCode()).isEqualTo(400);
      assertThat(response.body()).contains("😀").doesNotContain("\\ud83d");
    }
  }

  @Test
  void cutsLongValuesInErrors() {
    HttpResponse<String> response =
        post("/v1/check", "{\"request\":{\"clientIp\":\"" + PADDING + "\"}}").join();

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("request.clientIp").hasSizeLessThan(2000);
  }
}
