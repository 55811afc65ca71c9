package dev.redline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.client.internal.StubServer;
import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StoreException;
import dev.redline.resilience.BreakerState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpRateLimitHandlerTest {
  private static final LimitCheck CHECK = LimitCheck.ofRule("r", List.of("a"), 1);
  private static final String CONNECTING = "{\"checks\":[{\"request\":{},\"dryRun\":true}]}";
  private static final RuleBook RULES =
      RuleBook.of(
          RateLimitRule.builder()
              .id("r")
              .path("/x")
              .key(KeyField.userId())
              .addBand(RateLimitBand.parse("2/h"))
              .build());

  private StubServer stub;
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final MetricsExporter metrics =
      new MetricsExporter() {
        @Override
        public RuleMeter meter(String ruleSetId, String ruleId) {
          return RuleMeter.NONE;
        }

        @Override
        public void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {
          failures.add(store + " " + strategy + " " + kind);
        }
      };

  @BeforeEach
  void start() throws IOException {
    stub = new StubServer((exchange, body) -> StubServer.send(exchange, 500, "broken"));
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private HttpRateLimitHandler.Builder handler() {
    return HttpRateLimitHandler.builder(
            RemoteSettings.of(stub.uri()).withTimeout(Duration.ofSeconds(10)))
        .metrics(metrics);
  }

  /** Returns the bodies of all calls but the one that connects. */
  private List<String> bodies() {
    return stub.bodies().stream().filter(body -> !body.equals(CONNECTING)).toList();
  }

  private static EngineSettings strategy(OnStoreFailure strategy) {
    return new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, strategy, 1.0);
  }

  private static RateLimitResult decide(HttpRateLimitHandler handler) throws InterruptedException {
    RateLimitResult later = handler.handle(CHECK).toCompletableFuture().join();
    RateLimitResult now = handler.handleAndWait(CHECK);
    assertThat(later.reason()).isEqualTo(now.reason());
    return now;
  }

  @Test
  void strategiesDecideWithoutRulesWhileTheServerFails() throws Exception {
    try (HttpRateLimitHandler open = handler().settings(strategy(OnStoreFailure.OPEN)).start()) {
      RateLimitResult result = decide(open);
      assertThat(result.reason()).isEqualTo(Reason.FAIL_OPEN);
      assertThat(result.degraded()).isTrue();
    }
    try (HttpRateLimitHandler closed =
        handler().settings(strategy(OnStoreFailure.CLOSED)).start()) {
      RateLimitResult result = decide(closed);
      assertThat(result.reason()).isEqualTo(Reason.FAIL_CLOSED);
      assertThat(result.retryAfterMs()).hasValue(1000);
    }
    try (HttpRateLimitHandler local = handler().start()) {
      RateLimitResult result = decide(local);
      assertThat(result.reason()).isEqualTo(Reason.NO_MATCHING_RULE);
      assertThat(result.degraded()).isTrue();
    }
    assertThat(failures)
        .hasSize(6)
        .contains("remote OPEN BAD_RESPONSE", "remote CLOSED BAD_RESPONSE");
  }

  @Test
  void doesNotLogThatRequestsAreAllowedWhichAreDenied() throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    Handler log =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            lines.add(logged.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(RateLimitEngine.class.getName());
    logger.addHandler(log);
    try (HttpRateLimitHandler closed =
        handler().settings(strategy(OnStoreFailure.CLOSED)).start()) {
      LimitCheck plan =
          LimitCheck.ofLimits(
              List.of(new CallLimit.OfPlan("p", "a", 1, CallLimit.Policy.DEFAULT)),
              RequestContext.EMPTY);
      for (LimitCheck check : List.of(CHECK, LimitCheck.ofRequest(RequestContext.EMPTY), plan)) {
        assertThat(closed.handleAndWait(check).reason()).isEqualTo(Reason.FAIL_CLOSED);
      }
      assertThat(lines).noneMatch(line -> line.contains("every request is allowed"));
    } finally {
      logger.removeHandler(log);
    }
  }

  @Test
  void sendsTheExceptedRuleSetsBesideTheDefaultOne() throws Exception {
    stub.responder((exchange, body) -> StubServer.send(exchange, 200, StubServer.decisions(1)));
    EngineSettings named =
        new EngineSettings(
            false, Optional.of("mine"), MissingRules.ALLOW, OnStoreFailure.LOCAL, 1.0);
    try (HttpRateLimitHandler handler = handler().settings(named).start()) {
      handler.handleAndWait(
          new LimitCheck.OfRequest(Optional.empty(), RequestContext.EMPTY, Set.of("login")));
    }
    assertThat(bodies())
        .singleElement()
        .asString()
        .contains("\"ruleSetId\":\"mine\"", "\"exceptRuleSets\":[\"login\"]");
  }

  @Test
  void localDecidesByTheRulesThatAreKnown() throws Exception {
    try (HttpRateLimitHandler local = handler().rules(RULES).start()) {
      assertThat(local.handleAndWait(CHECK).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      assertThat(local.handleAndWait(CHECK).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      RateLimitResult denied = local.handleAndWait(CHECK);
      assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(denied.degraded()).isTrue();
      RateLimitResult other =
          local.handleAndWait(
              LimitCheck.ofRequest(RequestContext.builder().path("/other").build()));
      assertThat(other.reason()).isEqualTo(Reason.NO_MATCHING_RULE);
      assertThat(other.degraded()).isTrue();
    }
  }

  @Test
  void whatTheServerDeniedStaysDenied() throws Exception {
    stub.responder(
        (exchange, body) ->
            StubServer.send(
                exchange,
                200,
                "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\","
                    + "\"ruleSetId\":\"default\",\"ruleId\":\"r\",\"band\":\"r\",\"limit\":2,"
                    + "\"remaining\":0,\"retryAfterMs\":1800000,\"resetAtMs\":1763230059412}]}"));
    try (HttpRateLimitHandler local = handler().rules(RULES).start()) {
      assertThat(local.handleAndWait(CHECK).degraded()).isFalse();
      stub.responder((exchange, body) -> StubServer.send(exchange, 500, "broken"));
      // Also as a described request: it is the same bucket.
      RequestContext request = RequestContext.builder().path("/x").userId("a").build();
      for (LimitCheck check : List.of(CHECK, LimitCheck.ofRequest(request))) {
        RateLimitResult denied = local.handleAndWait(check);
        assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(denied.degraded()).isTrue();
        assertThat(denied.ruleId()).contains("r");
        assertThat(denied.retryAfterMs().orElseThrow()).isBetween(1_700_000L, 1_800_000L);
      }
      RateLimitResult other = local.handleAndWait(LimitCheck.ofRule("r", List.of("b"), 1));
      assertThat(other.reason()).isEqualTo(Reason.LOCAL_FALLBACK);
    }
  }

  @Test
  void whatTheServerWouldDenyIsNotRemembered() throws Exception {
    stub.responder(
        (exchange, body) ->
            StubServer.send(
                exchange,
                200,
                "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\","
                    + "\"ruleSetId\":\"default\",\"ruleId\":\"r\",\"band\":\"r\",\"limit\":2,"
                    + "\"remaining\":0,\"retryAfterMs\":1800000,\"resetAtMs\":1763230059412}]}"));
    try (HttpRateLimitHandler local = handler().rules(RULES).start()) {
      assertThat(local.engine().decideNow(CHECK, true).allowed()).isFalse();
      assertThat(bodies()).singleElement().asString().contains("\"dryRun\":true");
      stub.responder((exchange, body) -> StubServer.send(exchange, 500, "broken"));
      assertThat(local.handleAndWait(CHECK).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
    }
  }

  @Test
  void theBreakerOpensAndThenTheServerIsNotCalled() throws Exception {
    try (HttpRateLimitHandler open = handler().settings(strategy(OnStoreFailure.OPEN)).start()) {
      for (int i = 0; i < 50; i++) {
        assertThat(open.handleAndWait(CHECK).reason()).isEqualTo(Reason.FAIL_OPEN);
      }
      assertThat(open.breakerState()).isEqualTo(BreakerState.OPEN);
      assertThat(bodies()).hasSizeLessThan(20);
    }
  }

  @Test
  void aRejectedCheckIsNoFailureOfTheServer() throws Exception {
    stub.responder(
        (exchange, body) ->
            StubServer.send(
                exchange,
                200,
                "{\"decisions\":[{\"error\":{\"status\":400,\"detail\":\"bad\"}}]}"));
    try (HttpRateLimitHandler handler = handler().start()) {
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(() -> handler.handleAndWait(CHECK))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(handler.breakerState()).isEqualTo(BreakerState.CLOSED);
      assertThat(failures).isEmpty();
    }
  }

  @Test
  void connectsBeforeTheFirstCheck() {
    try (HttpRateLimitHandler handler = handler().start()) {
      await().untilAsserted(() -> assertThat(stub.bodies()).containsExactly(CONNECTING));
      assertThat(handler.breakerState()).isEqualTo(BreakerState.CLOSED);
      assertThat(failures).isEmpty();
    }
  }

  @Test
  void closingEndsCallsInProgressAndTheStrategyDecides() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          try {
            if (!body.equals(CONNECTING)) {
              called.countDown();
            }
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    HttpRateLimitHandler handler =
        HttpRateLimitHandler.builder(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofHours(1)))
            .settings(strategy(OnStoreFailure.CLOSED))
            .start();
    CompletableFuture<RateLimitResult> decision = handler.handle(CHECK).toCompletableFuture();
    called.await();
    handler.close();
    assertThat(decision.get(10, TimeUnit.SECONDS).reason()).isEqualTo(Reason.FAIL_CLOSED);
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().startsWith("redline-client")));
    release.countDown();
  }

  @Test
  void theKillSwitchNeedsNoServer() throws Exception {
    try (HttpRateLimitHandler handler = handler().start()) {
      handler.engine().enable(false);
      assertThat(handler.handleAndWait(CHECK).reason()).isEqualTo(Reason.DISABLED);
      assertThat(bodies()).isEmpty();
    }
  }

  @Test
  void waysThatTheServerDoesNotHaveSayWhatToDo() {
    try (HttpRateLimitHandler handler = handler().start()) {
      assertThatThrownBy(() -> handler.engine().plan("p").acquire("k", Duration.ofSeconds(1)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("retryAfter");
      assertThatThrownBy(() -> handler.engine().explain(CHECK).toCompletableFuture().join())
          .hasMessageContaining("/v1/explain");
    }
  }

  @Test
  void rejectsWrongSettingsWithoutShowingSecrets() {
    for (String uri :
        List.of(
            "localhost:8080",
            "ftp://x",
            "http://u:secret@x",
            "http://u:secret^@x",
            "http://x/path",
            "http://x:0",
            "http://x:",
            "http://x:99999",
            "http://x:secret",
            "http://secret_server",
            "https://[::1]:70000")) {
      assertThatThrownBy(() -> RemoteSettings.of(uri))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("secret")
          .hasNoCause();
    }
    assertThat(RemoteSettings.of("HTTP://localhost:8080/").uri())
        .isEqualTo("http://localhost:8080");
    assertThat(RemoteSettings.of("HttpS://[::1]:65535").uri()).isEqualTo("https://[::1]:65535");
    assertThatThrownBy(() -> RemoteSettings.of("http://redline_server:8080"))
        .hasMessageContaining("underscore");
    assertThatThrownBy(() -> RemoteSettings.of("http://redline:99999"))
        .hasMessageContaining("port from 1 to 65535");
    for (Duration timeout : List.of(Duration.ZERO, Duration.ofDays(300_000))) {
      assertThatThrownBy(() -> RemoteSettings.of("http://x").withTimeout(timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 1h");
    }
    assertThatThrownBy(() -> RemoteSettings.of("http://x").withToken("secret token\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
    assertThat(RemoteSettings.of("http://x/").withToken("secret").toString())
        .doesNotContain("secret")
        .contains("http://x");
  }
}
