package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class Http2DrainTest {
  private final DelayedStore store = new DelayedStore(new LocalStore());
  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false),
          new PoolOptions().setHttp2MaxSize(1));
  private DataPlane dataPlane;

  @BeforeEach
  void start() throws Exception {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("r")
            .addBand(RateLimitBand.of(1_000_000, 1, Duration.ofMinutes(1)))
            .build();
    RateLimitEngine engine =
        RateLimitEngine.builder(store).fallback(new LocalStore()).book(RuleBook.of(rule)).build();
    dataPlane = new TestDataPlane().drainTimeout(Duration.ofSeconds(20)).start(engine);
  }

  @AfterEach
  void stop() {
    vertx.close();
    store.close();
  }

  private Future<Integer> check(int port) {
    Promise<Integer> status = Promise.promise();
    // On an event loop: on another thread, a step that is added late would miss the body.
    vertx.runOnContext(
        nothing ->
            client
                .request(
                    new RequestOptions()
                        .setMethod(HttpMethod.POST)
                        .setHost("localhost")
                        .setPort(port)
                        .setURI("/v1/check"))
                .compose(request -> request.send(Buffer.buffer("{\"request\":{}}")))
                .compose(response -> response.body().map(body -> response.statusCode()))
                .onComplete(status));
    return status.future();
  }

  @Test
  void answersRequestsInFlightAndEndsTheConnection() throws Exception {
    store.delay(Duration.ofMillis(500));
    int port = dataPlane.port();
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      answers.add(check(port).toCompletionStage().toCompletableFuture());
    }
    await().until(() -> store.decisions() == 60);

    dataPlane.stop();

    for (CompletableFuture<Integer> answer : answers) {
      assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(200);
    }
    CompletableFuture<Integer> late = check(port).toCompletionStage().toCompletableFuture();
    assertThat(late)
        .failsWithin(Duration.ofSeconds(10))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ConnectException.class);
  }

  @Test
  void losesNoRequestUnderLoad() throws Exception {
    store.delay(Duration.ofMillis(1));
    int port = dataPlane.port();
    AtomicInteger answered = new AtomicInteger();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 16; i++) {
      next(port, answered, failures);
    }
    await().until(() -> answered.get() > 500);

    dataPlane.stop();

    await().until(() -> failures.size() == 16);
    assertThat(failures).allSatisfy(e -> assertThat(e).isInstanceOf(ConnectException.class));
  }

  /** Sends one request after the other until one fails. */
  private void next(int port, AtomicInteger answered, ConcurrentLinkedQueue<Throwable> failures) {
    check(port)
        .onSuccess(
            status -> {
              assertThat(status).isEqualTo(200);
              answered.incrementAndGet();
              next(port, answered, failures);
            })
        .onFailure(failures::add);
  }
}
