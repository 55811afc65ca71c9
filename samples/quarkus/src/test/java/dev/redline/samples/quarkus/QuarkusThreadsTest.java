package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where limited methods run while a remote store decides, with a single event loop. */
@QuarkusTest
@QuarkusTestResource(value = SlowRedis.class, restrictToAnnotatedClass = true)
@Tag("faults")
@Timeout(120)
class QuarkusThreadsTest {
  @TestHTTPResource URI base;
  RedisServer redis;

  private final String mark = UUID.randomUUID().toString();

  @AfterEach
  void resume() {
    redis.resume();
  }

  private LoopbackClient client() {
    return new LoopbackClient(base);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "uni", "multi", "stage", "blocking-uni"})
  void limitedMethodRunsWhereItWouldWithoutALimit(String kind) {
    Response limited = client().get("/threads/limited/" + kind, "X-Mark: " + mark);
    Response free = client().get("/threads/free/" + kind, "X-Mark: " + mark);

    assertThat(limited.status()).as(limited.toString()).isEqualTo(200);
    assertThat(limited.body())
        .isEqualTo(free.body())
        .contains("mark " + mark, "header " + mark, "duplicated context true");
    assertThat(limited.headers()).containsKey("X-RateLimit-Remaining");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "uni", "multi", "stage", "blocking-uni"})
  void eventLoopIsFreeWhileTheStoreDecides(String kind) throws Exception {
    redis.pause();
    CompletableFuture<Response> limited = sent("/threads/limited/" + kind);

    // The only event loop responds to others meanwhile.
    for (int i = 0; i < 20; i++) {
      assertThat(client().get("/threads/free/uni").status()).isEqualTo(200);
    }
    assertThat(limited).isNotDone();

    redis.resume();
    Response response = limited.get();
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.body()).contains("mark " + mark, "header " + mark);
  }

  private CompletableFuture<Response> sent(String path) {
    return CompletableFuture.supplyAsync(() -> client().get(path, "X-Mark: " + mark));
  }

  @Test
  void filterKeepsTheBodyThatArrivesWhileTheStoreDecides() throws Exception {
    String body = "0123456789".repeat(20_000);
    redis.pause();
    CompletableFuture<String> echo =
        HttpClient.newHttpClient()
            .sendAsync(
                HttpRequest.newBuilder(URI.create(base.resolve("/threads/echo").toString()))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build(),
                BodyHandlers.ofString())
            .thenApply(response -> response.statusCode() + response.body());
    assertThat(client().get("/threads/free/uni").status()).isEqualTo(200);
    assertThat(isDone(echo)).isFalse();

    redis.resume();
    assertThat(echo.get()).isEqualTo("200" + body);
  }

  private static boolean isDone(CompletableFuture<?> future) throws Exception {
    try {
      future.get(300, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void clientThatDisconnectsWhileTheStoreDecidesHarmsNobody() throws Exception {
    redis.pause();
    try (AutoCloseable ignored = client().open("/threads/limited/uni")) {
      assertThat(client().get("/threads/free/uni").status()).isEqualTo(200);
    }
    redis.resume();

    await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> client().get("/threads/limited/uni").status() == 200);
  }

  @Test
  void deniedMultiIsADenial() {
    client().get("/threads/denied/multi");

    Response denied = client().get("/threads/denied/multi");

    assertThat(denied.status()).as(denied.toString()).isEqualTo(429);
    assertThat(denied.header("Content-Type")).startsWith("application/problem+json");
  }
}
