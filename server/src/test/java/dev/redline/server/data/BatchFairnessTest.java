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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BatchFairnessTest {
  private static final String CHECK = "{\"request\":{\"path\":\"/slow\"}}";

  private final LocalStore store = new LocalStore();
  private final AtomicInteger decided = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private volatile boolean slow = true;
  private DataPlane dataPlane;

  /** Simulates the time that a signature takes; a whole batch takes a minute. */
  private String slowKey(RequestContext request) {
    decided.incrementAndGet();
    try {
      TimeUnit.MILLISECONDS.sleep(slow ? 60 : 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "somebody";
  }

  @BeforeEach
  void start() throws Exception {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("slow")
            .path("/slow")
            .keyResolver(this::slowKey)
            .addBand(RateLimitBand.of(1, 1, Duration.ofHours(1)))
            .build();
    RateLimitEngine engine = RateLimitEngine.builder(store).book(RuleBook.of(rule)).build();
    dataPlane = new TestDataPlane().start(engine);
  }

  @AfterEach
  void stop() {
    slow = false;
    dataPlane.stop();
    store.close();
  }

  private CompletableFuture<HttpResponse<String>> post(String endpoint, String body) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://localhost:" + dataPlane.port() + endpoint))
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void answersChecksWhileBatchesAreSlow() {
    int loops = Runtime.getRuntime().availableProcessors();
    String batch = "{\"checks\":[" + String.join(",", Collections.nCopies(1000, CHECK)) + "]}";
    List<CompletableFuture<HttpResponse<String>>> batches = new ArrayList<>();
    for (int i = 0; i < 2 * loops; i++) {
      batches.add(post("/v1/check/batch", batch));
    }
    await().until(() -> decided.get() >= 1);

    for (int i = 0; i < 2 * loops; i++) {
      String check = "{\"request\":{\"path\":\"/elsewhere\"}}";
      assertThat(post("/v1/check", check).orTimeout(30, TimeUnit.SECONDS).join().statusCode())
          .isEqualTo(200);
    }

    slow = false;
    for (CompletableFuture<HttpResponse<String>> each : batches) {
      String body = each.orTimeout(30, TimeUnit.SECONDS).join().body();
      assertThat(body.split("\"allowed\":", -1)).hasSize(1001);
    }
  }
}
