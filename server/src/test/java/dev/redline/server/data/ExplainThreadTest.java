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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ExplainThreadTest {
  private final LocalStore store = new LocalStore();
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger explaining = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private DataPlane dataPlane;

  /** Simulates the time that many rules take. */
  private String slowKey(RequestContext request) {
    explaining.incrementAndGet();
    try {
      assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "somebody";
  }

  @BeforeEach
  void start() throws Exception {
    RateLimitRule slow =
        RateLimitRule.builder()
            .id("slow")
            .path("/slow")
            .keyResolver(this::slowKey)
            .addBand(RateLimitBand.of(1, 1, Duration.ofHours(1)))
            .build();
    RateLimitEngine engine = RateLimitEngine.builder(store).book(RuleBook.of(slow)).build();
    dataPlane = new TestDataPlane().start(engine);
  }

  @AfterEach
  void stop() {
    release.countDown();
    dataPlane.stop();
    store.close();
  }

  private CompletableFuture<HttpResponse<String>> ask(String endpoint, String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://localhost:" + dataPlane.port() + endpoint))
            .POST(BodyPublishers.ofString("{\"request\":{\"path\":\"" + path + "\"}}"))
            .build(),
        BodyHandlers.ofString());
  }

  /** On the event loops, two explanations for each of them would leave none for the checks. */
  @Test
  void answersChecksWhileExplanationsAreSlow() {
    int loops = Runtime.getRuntime().availableProcessors();
    List<CompletableFuture<HttpResponse<String>>> explanations = new ArrayList<>();
    for (int i = 0; i < 2 * loops; i++) {
      explanations.add(ask("/v1/explain", "/slow"));
    }
    await().until(() -> explaining.get() >= 1);

    for (int i = 0; i < 2 * loops; i++) {
      CompletableFuture<HttpResponse<String>> check = ask("/v1/check", "/elsewhere");
      assertThat(check.orTimeout(20, TimeUnit.SECONDS).join().statusCode()).isEqualTo(200);
    }
    assertThat(explanations).noneMatch(CompletableFuture::isDone);

    release.countDown();
    assertThat(explanations)
        .allSatisfy(explained -> assertThat(explained.join().body()).contains("\"slow\""));
  }

  @Test
  void answersExplanationsBeyondTheLimitWith503() {
    List<CompletableFuture<HttpResponse<String>>> explanations = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      explanations.add(ask("/v1/explain", "/slow"));
    }
    await().until(() -> explanations.stream().filter(CompletableFuture::isDone).count() == 20);
    assertThat(explanations.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
        .allSatisfy(
            response -> {
              assertThat(response.statusCode()).isEqualTo(503);
              assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
            });
    assertThat(ask("/v1/check", "/elsewhere").join().statusCode()).isEqualTo(200);

    release.countDown();
    assertThat(explanations.stream().filter(f -> f.join().statusCode() == 200)).hasSize(100);
  }
}
