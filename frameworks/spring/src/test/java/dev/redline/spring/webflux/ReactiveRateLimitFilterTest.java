package dev.redline.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.spring.LimitedEngine;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class ReactiveRateLimitFilterTest {
  private final RateLimitEngine engine = LimitedEngine.create();
  private final ReactiveRateLimitFilter filter = filter(LimitedEngine.limiter(engine));
  private final AtomicInteger passed = new AtomicInteger();

  @AfterEach
  void close() {
    engine.close();
  }

  private static ReactiveRateLimitFilter filter(
      RequestLimiter limiter, ReactiveRequestContextCustomizer... customizers) {
    ExchangeLimiter exchanges =
        new ExchangeLimiter(
            limiter,
            Optional.empty(),
            new ReactiveRequests(LimitedEngine.IDENTITY, List.of(customizers)),
            new ReactiveResponses(LimitedEngine.http()));
    return new ReactiveRateLimitFilter(
        exchanges, FilterPaths.of(List.of(), List.of("/api/free/*")), 0);
  }

  private MockServerHttpResponse send(ReactiveRateLimitFilter by, ServerWebExchange exchange) {
    by.filter(exchange, next -> Mono.fromRunnable(passed::incrementAndGet)).block();
    return (MockServerHttpResponse) exchange.getResponse();
  }

  private static MockServerHttpRequest.BaseBuilder<?> get(String uri) {
    return MockServerHttpRequest.method(HttpMethod.GET, java.net.URI.create("http://host" + uri))
        .remoteAddress(new InetSocketAddress("203.0.113.7", 1));
  }

  private static MockServerWebExchange exchange(MockServerHttpRequest.BaseBuilder<?> request) {
    return MockServerWebExchange.from(request.build());
  }

  private MockServerHttpResponse send(MockServerHttpRequest.BaseBuilder<?> request) {
    return send(filter, exchange(request));
  }

  @Test
  void setsHeadersOnAllowedRequests() {
    HttpHeaders headers = send(get("/api/x")).getHeaders();

    assertThat(passed).hasValue(1);
    assertThat(headers.getFirst("X-RateLimit-Limit")).isEqualTo("2");
    assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(headers.getFirst("RateLimit-Policy")).isEqualTo("\"per-ip\";q=2;w=60");
  }

  @ParameterizedTest
  @ValueSource(strings = {"198.51.100.7", "2001:db8::7"})
  void limitsTheClientThatSpringTookFromAHeader(String client) {
    for (int i = 1; i >= 0; i--) {
      ServerHttpRequest request =
          new ForwardedHeaderTransformer()
              .apply(get("/api/x").header("X-Forwarded-For", client + ", 192.0.2.1").build());
      ServerWebExchange exchange = exchange(get("/api/x")).mutate().request(request).build();
      filter.filter(exchange, next -> Mono.empty()).block();
      assertThat(exchange.getResponse().getHeaders().getFirst("X-RateLimit-Remaining"))
          .isEqualTo("" + i);
    }
  }

  @Test
  void deniesWithProblemDetailsWhenTheLimitIsExceeded() {
    send(get("/api/x"));
    send(get("/api/x"));

    MockServerHttpResponse response = send(get("/api/x"));

    assertThat(passed).hasValue(2);
    assertThat(response.getStatusCode().value()).isEqualTo(429);
    assertThat(response.getHeaders().getFirst("Content-Type"))
        .isEqualTo("application/problem+json");
    assertThat(response.getHeaders().getFirst("Retry-After")).isEqualTo("30");
    assertThat(response.getBodyAsString().block())
        .contains("#quota-exceeded", "\"violated-policies\":[\"per-ip\"]", "\"status\":429");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/x",
        "//api/x",
        "/%61pi/x",
        "/x/../api/x",
        "/api;a=b/x",
        "/%2561pi/x",
        "/api%2Fx",
        "/./api/x/"
      })
  void limitsEverySpellingOfThePath(String spelling) {
    send(get("/api/x"));
    send(get("/api/x"));

    assertThat(send(get(spelling)).getStatusCode().value()).isEqualTo(429);
  }

  @Test
  void leavesExcludedPathsAndPreflightsAlone() {
    MockServerHttpRequest.BaseBuilder<?> preflight =
        MockServerHttpRequest.method(HttpMethod.OPTIONS, "http://host/api/x")
            .header("Origin", "https://shop.example")
            .header("Access-Control-Request-Method", "GET");

    assertThat(send(get("/api/free/x")).getHeaders().getFirst("X-RateLimit-Limit")).isNull();
    assertThat(send(preflight).getHeaders().getFirst("X-RateLimit-Limit")).isNull();
    assertThat(passed).hasValue(2);
  }

  @Test
  void exposesHeadersToOtherOrigins() {
    assertThat(
            send(get("/api/x").header("Origin", "https://shop.example"))
                .getHeaders()
                .getFirst("Access-Control-Expose-Headers"))
        .contains("Retry-After", "X-RateLimit-Remaining", "RateLimit-Policy");
  }

  @Test
  void rotatingForwardedAddressOfAnUntrustedPeerGainsNothing() {
    for (int i = 0; i < 2; i++) {
      send(get("/api/x").header("X-Forwarded-For", "198.51.100." + i));
    }

    assertThat(send(get("/api/x").header("X-Forwarded-For", "198.51.100.9")).getStatusCode())
        .hasToString("429 TOO_MANY_REQUESTS");
  }

  @Test
  void trustedProxyNamesTheClient() {
    for (int i = 0; i < 4; i++) {
      MockServerHttpRequest.BaseBuilder<?> request =
          get("/api/x")
              .remoteAddress(new InetSocketAddress("10.0.0.1", 1))
              .header("X-Forwarded-For", "192.0.2.99, 198.51.100." + i, "10.0.0.2");
      assertThat(send(request).getHeaders().getFirst("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @Test
  void customizerDescribesTheRequestWithoutBlocking() {
    ReactiveRateLimitFilter custom =
        filter(
            LimitedEngine.limiter(engine),
            (details, exchange) ->
                Mono.fromRunnable(
                    () ->
                        details.clientIp(
                            exchange.getRequest().getHeaders().getFirst("CF-Connecting-IP"))));
    for (int i = 0; i < 3; i++) {
      MockServerHttpResponse response =
          send(custom, exchange(get("/api/x").header("CF-Connecting-IP", "198.51.100." + i)));
      assertThat(response.getHeaders().getFirst("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @Test
  void countsTheAuthenticatedUser() {
    for (String user : List.of("alice", "bob")) {
      Principal principal = () -> user;
      ServerWebExchange exchange = exchange(get("/user/x"));
      ServerWebExchange authenticated = exchange.mutate().principal(Mono.just(principal)).build();
      assertThat(send(filter, authenticated).getHeaders().getFirst("X-RateLimit-Remaining"))
          .isEqualTo("1");
    }
  }

  @Test
  void respondsToARequestThatTheServerWouldNotAccept() {
    OversizedRequestException oversized = new OversizedRequestException("at most 100 values");
    ReactiveRateLimitFilter rejecting =
        filter(
            new RequestLimiter(
                check -> CompletableFuture.failedFuture(oversized),
                Optional.empty(),
                MissingRules.ALLOW));
    MockServerWebExchange exchange = MockServerWebExchange.from(get("/api/x"));

    rejecting.filter(exchange, next -> Mono.error(new AssertionError("called"))).block();

    assertThat(exchange.getResponse().getStatusCode().value()).isEqualTo(431);
    assertThat(exchange.getResponse().getBodyAsString().block()).contains("at most 100 values");

    // A failure of the application is none of the decision.
    ReactiveRateLimitFilter allowing =
        filter(
            new RequestLimiter(
                check -> CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED)),
                Optional.empty(),
                MissingRules.ALLOW));
    assertThatThrownBy(
            () -> allowing.filter(exchange(get("/api/x")), next -> Mono.error(oversized)).block())
        .isSameAs(oversized);
  }

  @Test
  void disconnectingClientEndsItsWait() {
    CompletableFuture<RateLimitResult> waiting = new CompletableFuture<>();
    ReactiveRateLimitFilter waits =
        filter(new RequestLimiter(check -> waiting, Optional.empty(), MissingRules.ALLOW));

    Disposable connection = waits.filter(exchange(get("/api/x")), next -> Mono.empty()).subscribe();
    assertThat(waiting).isNotDone();
    connection.dispose();

    assertThat(waiting).isCancelled();
  }
}
