package dev.redline.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.UnknownNameException;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application whose decisions a real service makes. */
@Timeout(120)
class RemoteHandlerTest {
  private static final String RULES =
      """
      plans:
        - { id: gold, limit: 3/h }
        - { id: daily, limit: 2/d }
      rules:
        - { id: per-user, path: /users/**, key: userId, limit: 2/h }
        - { id: exact, path: /exact, key: userId, limit: 1000/d }
        - { id: many, path: /many, key: userId, limit: 1/d }
        - { id: closed, path: /closed, action: DENY }
        - { id: tenant, path: /tenant, key: "header:X-Tenant", match: { attributes: { tier: gold } }, limit: 1/h }
        - { id: try-out, path: /users/**, key: userId, limit: 1/h, mode: SHADOW }
      ruleSets:
        - id: other
          rules: [{ id: everything, path: /other, limit: 1/h, key: ip }]
      """;

  private static TestServer server;
  private static RedlineAssembly application;

  @BeforeAll
  static void start() throws IOException {
    server = RemoteApplication.server(RULES, Map.of("rl.server.inline-limits", "true"));
    application = RemoteApplication.start(RemoteApplication.uri(server), Map.of());
  }

  @AfterAll
  static void stop() {
    application.close();
    server.close();
  }

  private static RateLimitResult decide(LimitCheck check) throws InterruptedException {
    return application.engine().handleAndWait(check);
  }

  @Test
  void resultsHaveEverythingThatTheServerSays() throws Exception {
    RateLimitResult first = RemoteApplication.check(application, "/users/1", "alice");
    assertThat(first.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(first.ruleSetId()).contains("default");
    assertThat(first.ruleId()).contains("per-user");
    assertThat(first.band()).contains("per-user");
    assertThat(first.limit()).hasValue(2);
    assertThat(first.remaining()).hasValue(1);
    assertThat(first.degraded()).isFalse();
    assertThat(first.resetAt()).isPresent();
    RateLimitResult second = RemoteApplication.check(application, "/users/2", "alice");
    assertThat(second.shadowDenied()).containsExactly("try-out");
    RateLimitResult third = RemoteApplication.check(application, "/users/2", "alice");
    assertThat(third.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(third.retryAfter().orElseThrow()).isPositive();
    // The service counts: the same bucket is empty for everybody.
    assertThat(
            server
                .ask("/v1/check", "{\"ruleId\":\"per-user\",\"identity\":\"alice\"}")
                .get("reason")
                .asString())
        .isEqualTo("LIMIT_EXCEEDED");
    assertThat(RemoteApplication.check(application, "/closed", "alice").reason())
        .isEqualTo(Reason.BLOCKED);
    assertThat(RemoteApplication.check(application, "/free", "alice").reason())
        .isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void headersAndAttributesReachTheServer() throws Exception {
    for (String tenant : List.of("a", "b")) {
      RequestContext request =
          RequestContext.builder()
              .path("/tenant")
              .header("x-tenant", tenant)
              .attribute("tier", "gold")
              .build();
      assertThat(decide(LimitCheck.ofRequest(request)).allowed()).isTrue();
      assertThat(decide(LimitCheck.ofRequest(request)).allowed()).isFalse();
    }
  }

  @Test
  void plansRuleSetsAndDryRunsWork() throws Exception {
    LimitCheck both = LimitCheck.ofPlans(List.of("gold", "daily"), "k1", 1);
    assertThat(application.engine().decideNow(both, true).remaining()).hasValue(1);
    assertThat(application.engine().decideNow(both, true).remaining()).hasValue(1);
    assertThat(decide(both).plan()).contains("daily");
    assertThat(decide(both).allowed()).isTrue();
    assertThat(decide(both).allowed()).isFalse();
    assertThat(application.engine().allow("k1", List.of("gold"), 1).remaining()).hasValue(0);
    assertThat(application.engine().plan("gold").tryAcquire("k1")).isFalse();
    RequestContext request =
        RequestContext.builder().path("/other").clientIp("203.0.113.7").build();
    assertThat(decide(LimitCheck.ofRequest("other", request)).ruleId()).contains("everything");
    assertThatThrownBy(() -> decide(LimitCheck.ofRequest("missing", request)))
        .isInstanceOf(UnknownNameException.class)
        .hasMessageContaining("missing");
    assertThatThrownBy(() -> decide(LimitCheck.ofPlans(List.of("platinum"), "k", 1)))
        .isInstanceOf(UnknownNameException.class)
        .hasMessageContaining("platinum");
  }

  @Test
  void ruleSetsThatOtherFiltersDecideAreLeftOut() throws Exception {
    RequestContext request =
        RequestContext.builder().path("/other").clientIp("203.0.113.8").build();
    LimitCheck rest = new LimitCheck.OfRequest(Optional.empty(), request, Set.of("other", "gone"));
    assertThat(decide(rest).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(decide(LimitCheck.ofRequest("other", request)).reason()).isEqualTo(Reason.ALLOWED);
  }

  @Test
  void limitsOfTheApplicationAreDecidedByTheServer() throws Exception {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("Shop.buy")
            .addBand(RateLimitBand.parse("2/h"))
            .addBand(RateLimitBand.slidingWindow(100, Duration.ofHours(24)))
            .build();
    application.engine().declare(List.of(rule));
    for (String user : List.of("n:alice", CallLimit.NO_KEY)) {
      LimitCheck check =
          LimitCheck.ofLimits(List.of(new CallLimit.OfRule(rule, user, 1)), RequestContext.EMPTY);
      assertThat(decide(check).ruleId()).contains("Shop.buy");
      assertThat(decide(check).remaining()).hasValue(0);
      assertThat(decide(check).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(decide(check).degraded()).isFalse();
    }
  }

  @Test
  void inlineLimitsThatTheServerDoesNotTakeAreAClearError() throws Exception {
    try (TestServer strict = RemoteApplication.server(RULES, Map.of());
        RedlineAssembly own = RemoteApplication.start(RemoteApplication.uri(strict), Map.of())) {
      LimitCheck check =
          new LimitCheck.OfRule(
              "x", List.of("a"), Optional.of(List.of(RateLimitBand.parse("1/s"))), 1);
      assertThatThrownBy(() -> own.engine().handleAndWait(check))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rl.server.inline-limits");
    }
  }

  @Test
  @Tag("stress")
  void concurrentChecksNeverExceedALimit() throws Exception {
    AtomicInteger allowed = new AtomicInteger();
    AtomicInteger degraded = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(16);
    List<Future<?>> done = new ArrayList<>();
    for (int t = 0; t < 16; t++) {
      done.add(
          threads.submit(
              () -> {
                for (int i = 0; i < 100; i++) {
                  RateLimitResult result = RemoteApplication.check(application, "/exact", "one");
                  allowed.addAndGet(result.allowed() ? 1 : 0);
                  degraded.addAndGet(result.degraded() ? 1 : 0);
                }
                return null;
              }));
    }
    for (Future<?> each : done) {
      each.get();
    }
    threads.shutdown();
    assertThat(degraded).hasValue(0);
    assertThat(allowed).hasValue(1000);
  }

  @Test
  @Tag("stress")
  void everyCallerOfABatchGetsItsOwnResult() {
    List<CompletableFuture<RateLimitResult>> results = new ArrayList<>();
    int callers = 5_000;
    for (int i = 0; i < 2 * callers; i++) {
      RequestContext request =
          RequestContext.builder().path("/many").userId("user-" + i % callers).build();
      results.add(application.engine().handle(LimitCheck.ofRequest(request)).toCompletableFuture());
      if (i % 1000 == 999) {
        results.get(i).join();
      }
    }
    for (int i = 0; i < 2 * callers; i++) {
      RateLimitResult result = results.get(i).join();
      assertThat(result.degraded()).isFalse();
      assertThat(result.allowed()).as("caller %s", i).isEqualTo(i < callers);
    }
  }

  @Test
  void rejectsPropertiesThatHaveNoEffectWhileAServerDecides() {
    Map<String, String> wrong =
        Map.of(
            "rl.mode", "SHADOW",
            "rl.headers.ietf", "true",
            "rl.wait-for-refill.enabled", "true",
            "rl.storage.type", "CAFFEINE",
            "rl.remote.timeout", "soon");
    assertThatThrownBy(() -> RemoteApplication.start("http://localhost:1", wrong))
        .isInstanceOf(InvalidSettingsException.class)
        .satisfies(
            failure ->
                wrong.keySet().forEach(name -> assertThat(failure).hasMessageContaining(name)));
    assertThatThrownBy(() -> RemoteApplication.start("", Map.of()))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.remote.uri");
    assertThatThrownBy(
            () -> RemoteApplication.start("http://localhost:1", Map.of("rl.handler", "ELSEWHERE")))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("EMBEDDED, REMOTE");
  }
}
