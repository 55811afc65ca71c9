package dev.redline.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.binding.CallPlans;
import dev.redline.binding.InvalidBindingException;
import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.server.LogLines;
import dev.redline.server.TestServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of {@code @RateLimit} in an application whose decisions a real service makes. */
@Timeout(120)
class RemoteAnnotationsTest {
  private static final String RULES = "plans: [{ id: gold, limit: 3/h }]\nrules: []\n";
  private static final Map<String, String> INLINE = Map.of("rl.server.inline-limits", "true");
  private static final Duration SOON = Duration.ofSeconds(30);

  /** Limits of all kinds. */
  static class Shop {
    @RateLimit(value = "2/h", key = "#p0")
    String buy(String user) {
      return user;
    }

    @RateLimit(
        value = {"2/h", "10/d"},
        key = "'one'")
    String browse() {
      return "";
    }

    @RateLimit(plan = "gold", key = "#p0")
    String sell(String user) {
      return user;
    }
  }

  /** A limit that any server decides. */
  static class PlansOnly {
    @RateLimit(plan = "gold", key = "'one'")
    String sell() {
      return "";
    }
  }

  /** Checks the limits of a class as an application does when it starts. */
  private static CallPlans checkLimits(RedlineAssembly application, Class<?> type) {
    CallPlans plans = CallPlans.builder(application.engine()).decidedByServer(true).build();
    plans.add(type);
    plans.check();
    return plans;
  }

  private static RateLimitResult call(RedlineAssembly application, RateLimitRule rule)
      throws InterruptedException {
    return application
        .engine()
        .handleAndWait(
            LimitCheck.ofLimits(
                List.of(new CallLimit.OfRule(rule, CallLimit.NO_KEY, 1)), RequestContext.EMPTY));
  }

  @Test
  void valueLimitsStopTheStartIfTheServerTakesNone() throws Exception {
    // A time-out that the first call of a process cannot keep must not hide the answer.
    try (TestServer strict = RemoteApplication.server(RULES, Map.of());
        RedlineAssembly application =
            RemoteApplication.start(
                RemoteApplication.uri(strict), Map.of("rl.remote.timeout", "1ms"))) {
      assertThatThrownBy(() -> checkLimits(application, Shop.class))
          .isInstanceOfSatisfying(
              InvalidBindingException.class,
              failure ->
                  assertThat(failure.problems())
                      .hasSize(2)
                      .allSatisfy(
                          problem ->
                              assertThat(problem.toString())
                                  .containsPattern("Shop\\.(buy|browse)\\(")
                                  .contains("set rl.server.inline-limits=true on the server")));
      assertThatCode(() -> checkLimits(application, PlansOnly.class)).doesNotThrowAnyException();
    }
  }

  @Test
  void checkOfLimitsAtTheStartTakesNoToken() throws Exception {
    try (TestServer server = RemoteApplication.server(RULES, INLINE);
        RedlineAssembly application =
            RemoteApplication.start(RemoteApplication.uri(server), Map.of())) {
      RateLimitRule first = checkLimits(application, Shop.class).rules().get(0);
      assertThat(first.id()).isEqualTo("Shop.browse");
      assertThat(call(application, first).remaining()).hasValue(1);
    }
  }

  @Test
  void startGoesOnWithoutTheServerAndRejectedLimitsAreLoggedOnceLater() throws Exception {
    int port = RemoteApplication.freePort();
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.circuit-breaker.open-duration", "200ms");
    properties.put("rl.fail.strategy", "OPEN");
    try (RedlineAssembly application =
        RemoteApplication.start("http://localhost:" + port, properties)) {
      RateLimitRule rule = checkLimits(application, Shop.class).rules().get(0);
      assertThat(call(application, rule).reason()).isEqualTo(Reason.FAIL_OPEN);

      try (TestServer strict =
              RemoteApplication.server(RULES, Map.of("rl.server.port", Integer.toString(port)));
          LogLines log = new LogLines()) {
        await().atMost(SOON).until(() -> isRejected(application, rule));
        assertThat(isRejected(application, rule)).isTrue();
        assertThat(log.all())
            .filteredOn(line -> line.contains("rl.server.inline-limits"))
            .singleElement()
            .asString()
            .startsWith("ERROR ")
            .contains("'Shop.browse'");
      }
    }
  }

  private static boolean isRejected(RedlineAssembly application, RateLimitRule rule)
      throws InterruptedException {
    try {
      call(application, rule);
      return false;
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("rl.server.inline-limits");
      return true;
    }
  }
}
