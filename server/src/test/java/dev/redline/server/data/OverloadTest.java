package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OverloadTest {
  private final SlowStore store = new SlowStore();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private DataPlane dataPlane;

  @BeforeEach
  void start() throws Exception {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("r")
            .path("/slow")
            .addBand(RateLimitBand.of(1, 1, Duration.ofHours(1)))
            .onStoreFailure(OnStoreFailure.CLOSED)
            .build();
    RateLimitEngine engine =
        RateLimitEngine.builder(store).fallback(new LocalStore()).book(RuleBook.of(rule)).build();
    dataPlane =
        new TestDataPlane().maxRequests(Runtime.getRuntime().availableProcessors()).start(engine);
  }

  @AfterEach
  void stop() {
    store.failAll();
    dataPlane.stop();
  }

  private CompletableFuture<HttpResponse<String>> ask(String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://localhost:" + dataPlane.port() + "/v1/check"))
            .POST(BodyPublishers.ofString("{\"request\":{\"path\":\"" + path + "\"}}"))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void answersRequestsBeyondTheInFlightLimitWithRetryAfter() {
    int many = 8 * Runtime.getRuntime().availableProcessors();
    List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      asked.add(ask("/slow"));
    }
    await().until(() -> asked.stream().anyMatch(CompletableFuture::isDone));
    HttpResponse<String> rejected =
        asked.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow().join();

    assertThat(rejected.statusCode()).isEqualTo(503);
    assertThat(rejected.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");

    await()
        .until(
            () ->
                asked.stream().filter(CompletableFuture::isDone).count() + store.waiting() == many);
    store.failAll();
    assertThat(asked)
        .extracting(response -> response.join().statusCode())
        .contains(503, 429)
        .containsOnly(503, 429);
    assertThat(ask("/elsewhere").join().statusCode()).isEqualTo(200);
  }

  @Test
  void sendsLateResultOnTheSameConnection() {
    CompletableFuture<HttpResponse<String>> slow = ask("/slow");
    await().until(() -> store.waiting() == 1);
    assertThat(slow).isNotDone();

    store.failAll();

    assertThat(slow.join().statusCode()).isEqualTo(429);
    assertThat(slow.join().body()).contains("FAIL_CLOSED").contains("\"degraded\":true");
  }

  /** A store whose outcomes the test completes. */
  private static final class SlowStore implements StorageProvider {
    private final ConcurrentLinkedQueue<CompletableFuture<Outcome>> waiting =
        new ConcurrentLinkedQueue<>();

    @Override
    public String type() {
      return "slow";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      CompletableFuture<Outcome> answer = new CompletableFuture<>();
      waiting.add(answer);
      return answer;
    }

    int waiting() {
      return waiting.size();
    }

    void failAll() {
      waiting.forEach(
          answer ->
              answer.completeExceptionally(
                  new StoreException(StoreException.Kind.UNAVAILABLE, "told to fail")));
    }

    @Override
    public void close() {}
  }
}
