package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an annotation does to a call. */
class CallPlanTest {
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine =
      RateLimitEngine.builder(store)
          .book(
              RuleBook.builder()
                  .plans(
                      List.of(
                          new RateLimitPlan("gold", List.of(RateLimitBand.parse("2/h"))),
                          new RateLimitPlan("free", List.of(RateLimitBand.parse("1/h")))))
                  .rules(
                      List.of(
                          RateLimitRule.builder()
                              .id("api")
                              .ruleSetId("web")
                              .path("/api/**")
                              .addBand(RateLimitBand.parse("1/h"))
                              .build()))
                  .build())
          .build();
  private final CallPlans plans = CallPlans.builder(engine).build();
  private final Service service = new Service();

  record User(String id, String plan) {}

  static class Service {
    int ran;

    @RateLimit("1/h")
    public String search(String words) {
      ran++;
      return words;
    }

    @RateLimit(value = "1/h", key = "#user.id")
    public void byProperty(User user) {
      ran++;
    }

    @RateLimit(value = "1/h", key = "#p0", unless = "#p0 == 'admin'", condition = "#p1 > 10")
    public void conditional(String who, long size) {
      ran++;
    }

    @RateLimit(plan = "#{#user.plan}", key = "#user.id")
    public void planned(User user) {
      ran++;
    }

    @RateLimit(ruleSet = "web")
    public void web() {
      ran++;
    }

    @RateLimit(value = "5/h", key = "#user", id = "per-user")
    @RateLimit(value = "3/h", key = "#tenant", id = "per-tenant")
    public void both(String user, String tenant) {
      ran++;
    }

    @RateLimit(
        value = "1/h",
        key = {"#user", "#tenant"})
    public void composite(String user, String tenant) {}

    @RateLimit(value = "1/h", key = "global", fallbackMethod = "later")
    public String withFallback(String words) {
      return words;
    }

    @SuppressWarnings("UnusedMethod") // the fallback above
    private String later(String words, RateLimitExceededException denial) {
      return "later " + words + " " + denial.result().reason();
    }

    @RateLimit(value = "1/h", key = "global", fallbackMethod = "failing")
    public String withFailingFallback() throws IOException {
      return "ran";
    }

    static String failing() throws IOException {
      throw new IOException("of the fallback");
    }

    @RateLimit(value = "1/h", key = "global")
    public String failsItself() throws IOException {
      ran++;
      throw new IOException("its own");
    }

    @RateLimit(value = "1/h", key = "global")
    public CompletionStage<String> stage() {
      ran++;
      return CompletableFuture.completedFuture("done");
    }

    @RateLimit(value = "1/h", key = "global", fallbackMethod = "stageLater")
    public CompletableFuture<String> future() {
      return CompletableFuture.completedFuture("done");
    }

    CompletableFuture<String> stageLater() {
      return CompletableFuture.completedFuture("later");
    }

    @RateLimit(value = "1/h", key = "#words.length")
    public void badKey(Object words) {}

    @RateLimit(value = "1/h", key = "#any")
    public void anyKey(Object any) {}
  }

  @AfterEach
  void close() {
    engine.close();
    store.close();
  }

  private Object invoke(String method, Object... arguments) throws Throwable {
    return TestCall.of(service, method, arguments).by("alice").invoke(plans);
  }

  private void denied(String method, Object... arguments) {
    assertThatExceptionOfType(RateLimitExceededException.class)
        .isThrownBy(() -> invoke(method, arguments));
  }

  @Test
  void limitsTheCallerByDefault() throws Throwable {
    TestCall first = TestCall.of(service, "search", "x").by("alice");
    assertThat(first.invoke(plans)).isEqualTo("x");
    assertThat(first.decisions).singleElement().matches(result -> result.allowed());
    TestCall second = TestCall.of(service, "search", "x").by("alice");
    assertThatThrownBy(() -> second.invoke(plans))
        .isInstanceOf(RateLimitExceededException.class)
        .hasMessageContaining("Service.search");
    assertThat(second.proceeded).isZero();
    assertThat(second.decisions).singleElement().matches(result -> !result.allowed());
    assertThat(second.fallbacks).containsExactly(false);
    assertThat(TestCall.of(service, "search", "x").by("bob").invoke(plans)).isEqualTo("x");
    TestCall byAddress = TestCall.of(service, "search", "x");
    byAddress.from(RequestContext.builder().clientIp("192.0.2.1").build()).invoke(plans);
    TestCall named = TestCall.of(service, "search", "x");
    named.from(RequestContext.builder().userId("192.0.2.1").build()).invoke(plans);
    assertThat(service.ran).as("a user is not the address of the same text").isEqualTo(4);
  }

  @Test
  void callersWithoutAKeyShareOneBucket() throws Throwable {
    invoke("byProperty", (Object) null);
    denied("byProperty", new User(null, "gold"));
    denied("byProperty", new User("", "gold"));
    invoke("byProperty", new User("x:", "gold"));
    invoke("byProperty", new User("null", "gold"));
  }

  @Test
  void aCompositeKeyNeedsAllItsParts() throws Throwable {
    invoke("composite", "a", "bc");
    invoke("composite", "ab", "c");
    denied("composite", "ab", "c");
    invoke("composite", "a", null);
    denied("composite", null, "b");
    denied("composite", "", "b");
  }

  @Test
  void aConditionDecidesWhetherTheLimitApplies() throws Throwable {
    for (int i = 0; i < 3; i++) {
      invoke("conditional", "admin", 99L);
      invoke("conditional", "user", 10L);
    }
    TestCall unlimited = TestCall.of(service, "conditional", "user", 10L);
    unlimited.invoke(plans);
    assertThat(unlimited.decisions).isEmpty();
    invoke("conditional", "user", 11L);
    denied("conditional", "user", 11L);
  }

  @Test
  void eachCallChoosesItsPlanWhoseBucketIsShared() throws Throwable {
    User gold = new User("alice", "gold");
    invoke("planned", gold);
    assertThat(engine.allow("alice", "gold").remaining()).hasValue(0);
    denied("planned", gold);
    invoke("planned", new User("alice", "free"));
    assertThatThrownBy(() -> invoke("planned", new User("alice", "platinum")))
        .hasMessageContaining("platinum");
    assertThatThrownBy(() -> invoke("planned", new User("alice", null)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Service.planned(User)")
        .hasMessageContaining("gave no name");
  }

  @Test
  void aRuleSetMatchesTheRequest() throws Throwable {
    RequestContext api = RequestContext.builder().path("/api/x").build();
    TestCall.of(service, "web").from(api).invoke(plans);
    assertThatExceptionOfType(RateLimitExceededException.class)
        .isThrownBy(() -> TestCall.of(service, "web").from(api).invoke(plans));
    TestCall.of(service, "web").from(RequestContext.builder().path("/other").build()).invoke(plans);
  }

  @Test
  void severalLimitsWithTheirOwnKeysAreOneAcquisition() throws Throwable {
    invoke("both", "u1", "t");
    invoke("both", "u2", "t");
    invoke("both", "u3", "t");
    TestCall fourth = TestCall.of(service, "both", "u1", "t");
    assertThatThrownBy(() -> fourth.invoke(plans)).isInstanceOf(RateLimitExceededException.class);
    assertThat(fourth.decisions.get(0).ruleId()).contains("per-tenant");
    TestCall other = TestCall.of(service, "both", "u1", "other");
    other.invoke(plans);
    assertThat(other.decisions.get(0).remaining())
        .as("of per-user: the denied call charged neither")
        .hasValue(3);
  }

  @Test
  void aFallbackMakesTheResult() throws Throwable {
    assertThat(invoke("withFallback", "x")).isEqualTo("x");
    TestCall denied = TestCall.of(service, "withFallback", "x");
    assertThat(denied.invoke(plans)).isEqualTo("later x LIMIT_EXCEEDED");
    assertThat(denied.fallbacks).containsExactly(true);
    assertThat(denied.proceeded).isZero();
    assertThat(invoke("withFailingFallback")).isEqualTo("ran");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> invoke("withFailingFallback"))
        .withMessage("of the fallback");
  }

  @Test
  void aMethodRunsOnceAndItsExceptionPassesUnchanged() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> invoke("failsItself"))
        .withMessage("its own");
    assertThat(service.ran).isEqualTo(1);
    denied("failsItself");
    assertThat(service.ran).isEqualTo(1);
  }

  @Test
  void aDeniedStageFails() throws Throwable {
    assertThat(((CompletionStage<?>) invoke("stage")).toCompletableFuture().join())
        .isEqualTo("done");
    CompletableFuture<?> second = ((CompletionStage<?>) invoke("stage")).toCompletableFuture();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(second::join)
        .withCauseInstanceOf(RateLimitExceededException.class);
    assertThat(service.ran).isEqualTo(1);
    invoke("future");
    assertThat(((CompletableFuture<?>) invoke("future")).join()).isEqualTo("later");
  }

  @Test
  void aValueWithoutTextOfItsOwnIsNoKey() throws Throwable {
    assertThatThrownBy(() -> invoke("anyKey", new Object()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Service.anyKey")
        .hasMessageContaining("java.lang.Object");
    assertThatThrownBy(() -> invoke("anyKey", (Object) new int[] {1}))
        .hasMessageContaining("int[]");
    assertThatThrownBy(() -> invoke("badKey", "text"))
        .hasMessageContaining("java.lang.String has no property 'length'");
    invoke("anyKey", Optional.of(5L));
    denied("anyKey", 5);
  }

  @Test
  void limitsOfAnnotationsAreRulesThatARuleReplaces() throws Throwable {
    plans.add(Service.class);
    plans.check();
    assertThat(engine.book().declared())
        .contains("Service.search", "per-user", "per-tenant")
        .doesNotContain("Service.planned");
    assertThat(engine.book().rule("Service.search"))
        .hasValueSatisfying(rule -> assertThat(rule.ruleSetId()).isEqualTo("annotations"));
    engine.use(
        RuleBook.of(
            RateLimitRule.builder()
                .id("Service.search")
                .addBand(RateLimitBand.parse("3/h"))
                .build()));
    invoke("search", "x");
    invoke("search", "x");
    invoke("search", "x");
    denied("search", "x");
  }

  @Test
  void aPlainResultThatNeedsTimeFailsOnAnEventLoop() throws Throwable {
    CompletableFuture<RateLimitResult> never = new CompletableFuture<>();
    CallPlans slow = CallPlans.builder((LimitCheck check) -> never).build();
    TestCall call = TestCall.of(service, "search", "x");
    call.mayBlock = false;
    assertThatThrownBy(() -> call.invoke(slow))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must not block");
    assertThat(never).isCancelled();
    TestCall quick = TestCall.of(service, "search", "x");
    quick.mayBlock = false;
    assertThat(quick.invoke(plans)).isEqualTo("x");
  }

  @Test
  void theSwitchTurnsLimitsOff() throws Throwable {
    engine.enable(false);
    for (int i = 0; i < 3; i++) {
      TestCall call = TestCall.of(service, "search", "x").by("alice");
      call.invoke(plans);
      assertThat(call.decisions.get(0).reason()).isEqualTo(Reason.DISABLED);
    }
  }
}
