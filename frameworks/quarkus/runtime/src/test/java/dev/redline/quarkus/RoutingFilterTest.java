package dev.redline.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The filter on a router of Vert.x that is mounted below a root path, as Quarkus does. */
class RoutingFilterTest {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger decided = new AtomicInteger();

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private HttpServer start(String rootPath) {
    return start(rootPath, check -> CompletableFuture.completedFuture(allowed()));
  }

  private HttpServer start(String rootPath, RateLimitHandler handler) {
    RoutingFilter filter =
        new RoutingFilter(
            "filter",
            new RequestLimiter(handler, Optional.empty(), MissingRules.ALLOW),
            FilterPaths.of(List.of("/hello", "/again"), List.of()),
            new RoutingRequests(
                new ClientIdentity(TrustedProxies.none(), "X-API-Key"), rootPath, List.of()),
            new RoutingResponses(new RateLimitHttp(new HttpSettings(true, false, 429), List.of())));
    Router application = Router.router(vertx);
    application.route().handler(filter);
    application.get("/hello").handler(routing -> routing.end("hello"));
    application.get("/again").handler(routing -> routing.reroute("/app/hello"));
    Router main = Router.router(vertx);
    main.route("/app/*").subRouter(application);
    return vertx
        .createHttpServer()
        .requestHandler(main)
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  private RateLimitResult allowed() {
    int number = decided.incrementAndGet();
    return RateLimitResult.builder(Reason.ALLOWED)
        .band("hello", 10, 10 - number, Instant.EPOCH)
        .build();
  }

  private HttpClientResponse get(HttpServer server, String path) {
    return vertx
        .createHttpClient()
        .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", path)
        .compose(request -> request.send(Buffer.buffer()))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @ParameterizedTest
  @CsvSource({
    "/app, /app/hello",
    "/app/, /app/hello",
    "app, /app/hello",
    "/app, /%61pp/hello",
    "/app, //app/hello",
    "/app, /app/../app/hello",
    "/app, /x/../app/hello"
  })
  void noSpellingOfTheRootPathEvadesTheFilter(String rootPath, String path) {
    HttpClientResponse response = get(start(rootPath), path);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(decided).hasValue(1);
    assertThat(response.getHeader("X-RateLimit-Remaining")).isEqualTo("9");
  }

  @Test
  void respondsToARequestThatTheServerWouldNotAccept() {
    HttpClientResponse response =
        get(
            start(
                "/app",
                check ->
                    CompletableFuture.failedFuture(
                        new OversizedRequestException("at most 100 values"))),
            "/app/hello");

    assertThat(response.statusCode()).isEqualTo(431);
    assertThat(response.getHeader("Content-Type")).isEqualTo("application/problem+json");
  }

  @Test
  void requestThatIsReroutedIsDecidedOnceAndKeepsItsHeaders() {
    HttpClientResponse response = get(start("/app"), "/app/again");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(decided).hasValue(1);
    assertThat(response.headers().getAll("X-RateLimit-Remaining")).containsExactly("9");
  }
}
