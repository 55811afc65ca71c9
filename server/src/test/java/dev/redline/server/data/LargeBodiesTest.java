package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
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
    assertThat(large).allSatisfy(each -> assertThat(each.join().body()).contains("\"slow\""));
  }

  /** The memory for bodies is 16 MiB here, a quarter of it for large ones that wait. */
  @Test
  void answersLargeBodiesBeyondTheLimitWith503() {
    String body = check("/slow/" + "x".repeat(1_000_000));
    List<CompletableFuture<HttpResponse<String>>> large = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      large.add(post("/v1/check", body));
    }

    await().until(() -> large.stream().filter(CompletableFuture::isDone).count() == 2);
    assertThat(large.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
        .allSatisfy(
            response -> {
              assertThat(response.statusCode()).isEqualTo(503);
              assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
            });
    assertThat(post("/v1/check", check("/elsewhere")).join().statusCode()).isEqualTo(200);

    release.countDown();
    assertThat(large).filteredOn(each -> each.join().statusCode() != 503).hasSize(4);
    // Their memory is free again.
    assertThat(post("/v1/check", body).join().statusCode()).isEqualTo(429);
  }
}
