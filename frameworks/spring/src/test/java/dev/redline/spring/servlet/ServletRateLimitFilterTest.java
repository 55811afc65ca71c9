package dev.redline.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.redline.binding.servlet.ServletRateLimitFilter;
import dev.redline.binding.servlet.ServletRequestContextCustomizer;
import dev.redline.binding.servlet.ServletRequests;
import dev.redline.binding.servlet.ServletResponses;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.spring.LimitedEngine;
import dev.redline.spring.web.AuthenticatedUser;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ServletRateLimitFilterTest {
  private final RateLimitEngine engine = LimitedEngine.create();
  private final RequestLimiter limiter = LimitedEngine.limiter(engine);
  private MockFilterChain chain = new MockFilterChain();

  @AfterEach
  void close() {
    engine.close();
  }

  private ServletRateLimitFilter filter(
      RequestLimiter decider, ServletRequestContextCustomizer... customizers) {
    return new ServletRateLimitFilter(
        decider,
        FilterPaths.of(List.of(), List.of("/api/free/*")),
        new ServletRequests(LimitedEngine.IDENTITY, AuthenticatedUser::name, List.of(customizers)),
        new ServletResponses(LimitedEngine.http()));
  }

  private MockHttpServletResponse send(
      ServletRateLimitFilter filter, MockHttpServletRequest request) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    chain = new MockFilterChain();
    filter.doFilter(request, response, chain);
    return response;
  }

  private static MockHttpServletRequest get(String uri) {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", uri);
    request.setRemoteAddr("203.0.113.7");
    return request;
  }

  @Test
  void setsHeadersOnAllowedRequests() throws Exception {
    MockHttpServletResponse response = send(filter(limiter), get("/api/x"));

    assertThat(chain.getRequest()).isNotNull();
    assertThat(response.getHeader("X-RateLimit-Limit")).isEqualTo("2");
    assertThat(response.getHeader("X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(response.getHeader("RateLimit-Policy")).isEqualTo("\"per-ip\";q=2;w=60");
    assertThat(response.getHeader("Retry-After")).isNull();
  }

  @Test
  void deniesWithProblemDetailsWhenTheLimitIsExceeded() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    send(filter, get("/api/x"));
    send(filter, get("/api/x"));

    MockHttpServletResponse response = send(filter, get("/api/x"));

    assertThat(chain.getRequest()).isNull();
    assertThat(response.getStatus()).isEqualTo(429);
    assertThat(response.getContentType()).isEqualTo("application/problem+json");
    assertThat(response.getHeader("Retry-After")).isEqualTo("30");
    assertThat(response.getContentAsString())
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
        "/./api/x/",
        "\\api\\x"
      })
  void limitsEverySpellingOfThePath(String spelling) throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    send(filter, get("/api/x"));
    send(filter, get("/api/x"));

    assertThat(send(filter, get(spelling)).getStatus()).isEqualTo(429);
  }

  @Test
  void matchesThePathWithinTheApplication() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    MockHttpServletRequest request = get("/app/api/x");
    request.setContextPath("/app");

    assertThat(send(filter, request).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/%61pp/api/x",
        "/app/../app/api/x",
        "/app/..;/app/api/x",
        "/app/%2e%2e/app/api/x"
      })
  void otherSpellingOfTheApplicationsPathEvadesNothing(String spelling) throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    MockHttpServletRequest request = get(spelling);
    request.setContextPath("/app");
    request.setServletPath("/api/x");

    assertThat(send(filter, request).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
  }

  @Test
  void leavesExcludedPathsAndPreflightsAlone() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    MockHttpServletRequest preflight = get("/api/x");
    preflight.setMethod("OPTIONS");
    preflight.addHeader("Origin", "https://shop.example");
    preflight.addHeader("Access-Control-Request-Method", "GET");

    assertThat(send(filter, get("/api/free/x")).getHeaderNames()).isEmpty();
    assertThat(send(filter, preflight).getHeaderNames()).isEmpty();
    assertThat(send(filter, get("/api/x")).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
  }

  @Test
  void exposesHeadersToOtherOrigins() throws Exception {
    MockHttpServletRequest request = get("/api/x");
    request.addHeader("Origin", "https://shop.example");

    MockHttpServletResponse response = send(filter(limiter), request);

    assertThat(response.getHeader("Access-Control-Expose-Headers"))
        .contains("Retry-After", "X-RateLimit-Remaining", "RateLimit-Policy");
  }

  @Test
  void rotatingForwardedAddressOfAnUntrustedPeerGainsNothing() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    for (int i = 0; i < 2; i++) {
      MockHttpServletRequest request = get("/api/x");
      request.addHeader("X-Forwarded-For", "198.51.100." + i);
      assertThat(send(filter, request).getStatus()).isEqualTo(200);
    }
    MockHttpServletRequest third = get("/api/x");
    third.addHeader("X-Forwarded-For", "198.51.100.3");

    assertThat(send(filter, third).getStatus()).isEqualTo(429);
  }

  @Test
  void trustedProxyNamesTheClient() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    for (int i = 0; i < 4; i++) {
      MockHttpServletRequest request = get("/api/x");
      request.setRemoteAddr("10.0.0.1");
      request.addHeader("X-Forwarded-For", "192.0.2.99, 198.51.100." + i + ", 10.0.0.2");
      assertThat(send(filter, request).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @Test
  void customizerSetsTheClientAddressAndTextThatIsNoneIsIgnored() throws Exception {
    ServletRateLimitFilter filter =
        filter(
            limiter, (details, request) -> details.clientIp(request.getHeader("CF-Connecting-IP")));
    for (String address : List.of("198.51.100.1", "198.51.100.2", "198.51.100.3")) {
      MockHttpServletRequest request = get("/api/x");
      request.addHeader("CF-Connecting-IP", address);
      assertThat(send(filter, request).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
    }
    for (String none : List.of("localhost", "1.2.3.4.5")) {
      MockHttpServletRequest request = get("/api/x");
      request.addHeader("CF-Connecting-IP", none);
      assertThat(send(filter, request).getStatus()).isEqualTo(200);
    }
    assertThat(send(filter, get("/api/x")).getStatus()).isEqualTo(429);
  }

  @Test
  void countsTheAuthenticatedUser() throws Exception {
    ServletRateLimitFilter filter = filter(limiter);
    for (String user : List.of("alice", "bob")) {
      MockHttpServletRequest request = get("/user/x");
      request.setUserPrincipal(() -> user);
      assertThat(send(filter, request).getHeader("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @Test
  void blockedRequestsGetNoRetryAfter() throws Exception {
    MockHttpServletResponse response = send(filter(limiter), get("/blocked/x"));

    assertThat(response.getStatus()).isEqualTo(403);
    assertThat(response.getHeader("Retry-After")).isNull();
  }

  @Test
  void customizerChangesTheDenial() throws Exception {
    DenialCustomizer teapot =
        (response, result) ->
            response
                .status(418)
                .header("X-Tea", result.ruleId().orElseThrow())
                .body("text/plain", "tea");
    ServletRateLimitFilter filter =
        new ServletRateLimitFilter(
            limiter,
            FilterPaths.of(List.of(), List.of()),
            new ServletRequests(LimitedEngine.IDENTITY, AuthenticatedUser::name, List.of()),
            new ServletResponses(LimitedEngine.http(teapot)));

    MockHttpServletResponse response = send(filter, get("/blocked/x"));

    assertThat(response.getStatus()).isEqualTo(418);
    assertThat(response.getHeader("X-Tea")).isEqualTo("blocked");
    assertThat(response.getContentType()).isEqualTo("text/plain");
    assertThat(response.getContentAsString()).isEqualTo("tea");
  }

  @Test
  void missingRuleSetAllowsOrDenies() throws Exception {
    RequestLimiter allows = new RequestLimiter(engine, Optional.of("missing"), MissingRules.ALLOW);
    RequestLimiter denies = new RequestLimiter(engine, Optional.of("missing"), MissingRules.REJECT);

    assertThat(send(filter(allows), get("/api/x")).getStatus()).isEqualTo(200);
    assertThat(chain.getRequest()).isNotNull();
    MockHttpServletResponse denied = send(filter(denies), get("/api/x"));
    assertThat(denied.getStatus()).isEqualTo(503);
    assertThat(denied.getHeader("Retry-After")).isEqualTo("1");
  }

  @Test
  void failureOfTheHandlerReachesTheContainer() {
    RateLimitHandler broken =
        check -> CompletableFuture.failedFuture(new IllegalStateException("broken"));
    RequestLimiter breaks = new RequestLimiter(broken, Optional.empty(), MissingRules.ALLOW);

    assertThatThrownBy(() -> send(filter(breaks), get("/api/x")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("broken");
  }

  @Test
  void respondsToARequestThatTheServerWouldNotAccept() throws Exception {
    RateLimitHandler rejecting =
        check ->
            CompletableFuture.failedFuture(new OversizedRequestException("at most 100 values"));
    MockHttpServletResponse response =
        send(
            filter(new RequestLimiter(rejecting, Optional.empty(), MissingRules.ALLOW)),
            get("/api/x"));

    assertThat(response.getStatus()).isEqualTo(431);
    assertThat(response.getContentType()).isEqualTo("application/problem+json");
    assertThat(response.getContentAsString()).contains("\"status\":431", "at most 100 values");
    assertThat(chain.getRequest()).as("the application was not called").isNull();
  }

  @Test
  void interruptedWaitEndsAndIsCancelled() {
    CompletableFuture<RateLimitResult> waiting = new CompletableFuture<>();
    RequestLimiter waits =
        new RequestLimiter(check -> waiting, Optional.empty(), MissingRules.ALLOW);

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> send(filter(waits), get("/api/x")))
        .isInstanceOf(InterruptedIOException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(waiting).isCancelled();
  }

  @Test
  @Timeout(60)
  void interruptedWaitFreesItsPermit() throws Exception {
    BlockingQueue<Integer> waiting = new LinkedBlockingQueue<>();
    RateLimitEngine patient = LimitedEngine.waiting(waiting::add);
    ServletRateLimitFilter filter = filter(LimitedEngine.limiter(patient));
    assertThat(send(filter, get("/api/x")).getStatus()).isEqualTo(200);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread request =
        new Thread(
            () -> failure.set(catchThrowable(() -> send(filter, get("/api/x")))), "a request");
    request.start();
    assertThat(waiting.take()).isEqualTo(1);

    request.interrupt();
    request.join();

    assertThat(failure.get()).isInstanceOf(InterruptedIOException.class);
    assertThat(waiting).containsExactly(-1);
    patient.close();
  }
}
