package dev.redline.server.gateways;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.redline.server.TestServer;
import dev.redline.server.gateways.Gateway.Kind;
import dev.redline.server.gateways.Gateway.OnFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both variants of each recipe while Redline is there, stopped, overloaded, and back. */
@Tag("debian")
@Timeout(180)
class GatewayOutageTest {
  /** Limits per path, because all requests come from one address. */
  private static final String RULES =
      "rules: [{ id: ten, path: '/{gateway}/**', key: [ip, 'path:gateway'], limit: 10/m }]";

  private record Recipe(Kind kind, OnFailure onFailure, Gateway gateway) {
    String path() {
      return "/" + kind + "-" + onFailure + "/x";
    }

    boolean isOpen() {
      return onFailure == OnFailure.OPEN;
    }
  }

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger served = new AtomicInteger();
  private final List<Recipe> recipes = new ArrayList<>();
  private TestServer redline;
  private HttpServer application;

  @BeforeEach
  void start() throws IOException {
    redline = TestServer.start(RULES, Map.of());
    application = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    application.createContext(
        "/",
        exchange -> {
          served.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    application.start();
    for (Kind kind : Kind.values()) {
      for (OnFailure onFailure : OnFailure.values()) {
        recipes.add(
            new Recipe(
                kind,
                onFailure,
                new Gateway(
                    kind, onFailure, redline.server().port(), application.getAddress().getPort())));
      }
    }
  }

  @AfterEach
  void stop() {
    recipes.forEach(recipe -> recipe.gateway.close());
    redline.close();
    application.stop(0);
  }

  private HttpResponse<String> get(Recipe recipe) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + recipe.gateway.port() + recipe.path());
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build(),
        BodyHandlers.ofString());
  }

  private void assertLimited(Recipe recipe) throws Exception {
    for (int i = 1; i <= 10; i++) {
      assertThat(get(recipe).statusCode()).as("%s, request %s", recipe, i).isEqualTo(200);
    }
    HttpResponse<String> eleventh = get(recipe);
    assertThat(eleventh.statusCode()).as(recipe.toString()).isEqualTo(429);
    assertThat(eleventh.headers().firstValueAsLong("Retry-After").orElse(0)).isBetween(1L, 6L);
    assertThat(eleventh.headers().firstValue("X-RateLimit-Limit")).hasValue("10");
    assertThat(eleventh.headers().firstValue("X-RateLimit-Remaining")).hasValue("0");
    assertThat(eleventh.headers().firstValue("X-RateLimit-Reset")).isPresent();
  }

  /** With Redline stopped, or something in its place that always responds with 503. */
  private void assertFails(Recipe recipe) throws Exception {
    int before = served.get();
    long start = System.nanoTime();
    int status = get(recipe).statusCode();
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as(recipe.toString())
        .isLessThan(Duration.ofSeconds(1));
    if (recipe.isOpen()) {
      assertThat(status).as(recipe.toString()).isEqualTo(200);
      assertThat(served).hasValue(before + 1);
    } else {
      assertThat(status).as(recipe.toString()).isBetween(500, 504);
      assertThat(served).hasValue(before);
    }
  }

  @Test
  void limitsThenBehavesAsTheRecipeSaysThenLimitsAgain() throws Exception {
    for (Recipe recipe : recipes) {
      assertLimited(recipe);
    }

    int port = redline.server().port();
    redline.close();
    for (Recipe recipe : recipes) {
      assertFails(recipe);
      assertFails(recipe);
    }

    HttpServer overloaded =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    overloaded.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    overloaded.start();
    for (Recipe recipe : recipes) {
      assertFails(recipe);
    }
    overloaded.stop(0);

    await().ignoreExceptions().until(() -> (redline = again(port)) != null);
    for (Recipe recipe : recipes) {
      assertLimited(recipe);
    }
  }

  /** A gateway that sent a check again would take tokens again. */
  @Test
  void checksOnceIfRedlineHangs() throws Exception {
    int port = redline.server().port();
    redline.close();
    AtomicInteger checks = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService threads = Executors.newCachedThreadPool();
    HttpServer hanging =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    hanging.setExecutor(threads);
    hanging.createContext(
        "/",
        exchange -> {
          checks.incrementAndGet();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    hanging.start();
    try {
      for (Recipe recipe : recipes) {
        int before = checks.get();
        int status = get(recipe).statusCode();
        assertThat(status == 200).as("%s: %s", recipe, status).isEqualTo(recipe.isOpen());
        assertThat(checks.get() - before).as(recipe.toString()).isEqualTo(1);
      }
    } finally {
      end.countDown();
      hanging.stop(0);
      threads.shutdown();
    }
  }

  private static TestServer again(int port) throws IOException {
    return TestServer.start(RULES, Map.of("rl.server.port", Integer.toString(port)));
  }
}
