package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks of several limits with their own keys, and rules that an application declares. */
class CallLimitTest {
  private static final RateLimitRule PAY = declared("Orders.pay", 2);
  private static final RateLimitRule FIND = declared("Orders.find", 5);
  private static final RateLimitPlan GOLD = new RateLimitPlan("gold", List.of(perHour(3)));

  private final LocalStore store = new LocalStore();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final MetricsExporter metrics =
      (set, id) -> result -> counts.merge(set + "/" + id + " " + result, 1, Integer::sum);
  private RateLimitEngine engine = engine(RuleBook.builder().plans(List.of(GOLD)).build());

  @AfterEach
  void close() {
    store.close();
  }

  private static RateLimitRule declared(String id, long perHour) {
    return rule(id, perHour).ruleSetId("annotations").build();
  }

  private RateLimitEngine engine(RuleBook book) {
    RateLimitEngine made =
        RateLimitEngine.builder(store).book(book).metrics(metrics).reportBands(true).build();
    made.declare(List.of(PAY, FIND));
    return made;
  }

  private static CallLimit of(RateLimitRule rule, String identity) {
    return new CallLimit.OfRule(rule, identity, 1);
  }

  private static CallLimit gold(String identity, long cost) {
    return new CallLimit.OfPlan("gold", identity, cost, CallLimit.Policy.DEFAULT);
  }

  private static CallLimit set(String id) {
    return new CallLimit.OfRuleSet(id, 1, CallLimit.Policy.DEFAULT);
  }

  private RateLimitResult check(CallLimit... limits) {
    return check(RequestContext.EMPTY, limits);
  }

  private RateLimitResult check(RequestContext request, CallLimit... limits) {
    return engine
        .handle(LimitCheck.ofLimits(List.of(limits), request))
        .toCompletableFuture()
        .join();
  }

  private long left(CallLimit limit) {
    return engine
        .explain(LimitCheck.ofLimits(List.of(limit), RequestContext.EMPTY))
        .toCompletableFuture()
        .join()
        .rules()
        .get(0)
        .bands()
        .get(0)
        .remaining();
  }

  @Test
  void limitsWithTheirOwnKeysAreOneAcquisition() {
    CallLimit byUser = of(PAY, "n:alice");
    CallLimit byTenant = of(FIND, "n:acme");
    assertThat(check(byUser, byTenant).allowed()).isTrue();
    assertThat(check(byUser, byTenant).allowed()).isTrue();
    RateLimitResult denied = check(byUser, byTenant);
    assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(denied.ruleId()).contains("Orders.pay");
    assertThat(denied.ruleSetId()).contains("annotations");
    assertThat(denied.bands())
        .extracting(RateLimitResult.BandStatus::label)
        .containsExactly("Orders.pay", "Orders.find");
    assertThat(left(byTenant)).as("a denial acquires nothing").isEqualTo(3);
    assertThat(counts)
        .containsOnly(
            Map.entry("annotations/Orders.pay ALLOWED", 2),
            Map.entry("annotations/Orders.pay DENIED", 1),
            Map.entry("annotations/Orders.find ALLOWED", 3));
  }

  @Test
  void aPlanAndAKeyAreOneBucketWhereverTheyAreUsed() {
    assertThat(engine.allow("alice", "gold").allowed()).isTrue();
    assertThat(check(gold("alice", 1)).remaining()).hasValue(1);
    assertThat(engine.plan("gold").tryAcquire("alice")).isTrue();
    assertThat(check(gold("alice", 1)).plan()).contains("gold");
    assertThat(check(gold("alice", 1)).allowed()).isFalse();
    assertThat(counts).containsEntry("none/gold DENIED", 2);
  }

  @Test
  void onePlanLimitsTwoKeysTogether() {
    for (int i = 0; i < 3; i++) {
      assertThat(check(gold("user", 1), gold("tenant", 1)).allowed()).isTrue();
    }
    assertThat(check(gold("tenant", 1), gold("other", 1)).allowed()).isFalse();
    assertThat(left(gold("other", 1))).isEqualTo(3);
  }

  @Test
  void aBucketNamedTwiceIsChargedOnceWithTheLargerCost() {
    assertThat(check(gold("a", 1), of(PAY, "p"), gold("a", 2)).allowed()).isTrue();
    assertThat(left(gold("a", 1))).isEqualTo(1);
    assertThat(left(of(PAY, "p"))).isEqualTo(1);
    assertThat(
            engine
                .explain(
                    LimitCheck.ofLimits(
                        List.of(gold("a", 1), gold("a", 1), of(PAY, "p")), RequestContext.EMPTY))
                .toCompletableFuture()
                .join()
                .rules())
        .extracting(entry -> entry.id() + " " + entry.bands().size())
        .containsExactly("gold 1", "gold 0", "Orders.pay 1");
  }

  @Test
  void missingKeyHasABucketThatNoKeyCanName() {
    for (int i = 0; i < 3; i++) {
      assertThat(check(gold(CallLimit.NO_KEY, 1)).allowed()).isTrue();
    }
    assertThat(check(gold(CallLimit.NO_KEY, 1)).allowed()).isFalse();
    assertThat(engine.allow(CallLimit.NO_KEY, "gold").allowed())
        .as("a key of the same text is another one")
        .isTrue();
  }

  @Test
  void aDeclaredRuleMatchesNoRequest() {
    assertThat(engine.check(request("/any")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(engine.book().declared()).containsExactlyInAnyOrder("Orders.pay", "Orders.find");
    assertThat(engine.book().rules()).contains(PAY, FIND);
    assertThat(engine.book().ruleSets()).doesNotContainKey("annotations");
  }

  @Test
  void aRuleOfTheSameIdReplacesTheDeclaredOneAndMatchesNoRequest() {
    assertThat(check(of(PAY, "a")).limit()).hasValue(2);
    engine.use(EngineFixture.book(rule("Orders.pay", 7), rule("web", 9)));
    RateLimitResult result = check(of(PAY, "a"));
    assertThat(result.limit()).hasValue(7);
    assertThat(result.ruleSetId()).contains("default");
    assertThat(engine.check(request("/any")).ruleId()).contains("web");
    engine.use(RuleBook.of());
    assertThat(check(of(PAY, "b")).limit()).as("declared rules stay").hasValue(2);
  }

  @Test
  void aReplacingRuleMaySwitchOffShadowOrDeny() {
    engine.use(EngineFixture.book(rule("Orders.pay", 7).enabled(false)));
    assertThat(check(of(PAY, "a")).reason()).isEqualTo(Reason.DISABLED);
    assertThat(check(of(PAY, "a"), of(FIND, "a")).ruleId()).contains("Orders.find");
    engine.use(EngineFixture.book(rule("Orders.pay", 1).mode(Mode.SHADOW)));
    assertThat(check(of(PAY, "a"), of(FIND, "a")).allowed()).isTrue();
    assertThat(check(of(PAY, "a"), of(FIND, "a")).shadowDenied()).containsExactly("Orders.pay");
    engine.use(RuleBook.of(RateLimitRule.builder().id("Orders.pay").action(Action.DENY).build()));
    assertThat(check(of(PAY, "a")).reason()).isEqualTo(Reason.BLOCKED);
  }

  @Test
  void aRuleSetMatchesTheRequestAndMultipliesItsCost() {
    engine.use(EngineFixture.book(rule("api", 10).ruleSetId("web").path("/api/**"), rule("x", 10)));
    CallLimit web = new CallLimit.OfRuleSet("web", 3, CallLimit.Policy.DEFAULT);
    assertThat(check(request("/api/a"), web, of(PAY, "a")).ruleId()).contains("Orders.pay");
    assertThat(check(request("/api/a"), web).remaining()).hasValue(4);
    assertThat(check(request("/other"), web).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(counts).containsEntry("web/none ALLOWED", 1);
    assertThat(check(request("/api/a"), set("nope")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void anUnknownPlanOrAnUndeclaredRuleFails() {
    CallLimit unknown = new CallLimit.OfPlan("nope", "a", 1, CallLimit.Policy.DEFAULT);
    assertThatThrownBy(() -> check(unknown)).hasRootCauseInstanceOf(UnknownNameException.class);
    assertThatThrownBy(() -> check(of(declared("other", 1), "a")))
        .hasRootCauseInstanceOf(UnknownNameException.class);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> engine.declare(List.of(declared("Orders.pay", 9))))
        .withMessage("rule 'Orders.pay' is declared twice");
    engine.declare(List.of(PAY));
  }

  @Test
  void declaredRulesDecideBeforeRulesAreLoaded() {
    engine = RateLimitEngine.builder(store).build();
    engine.declare(List.of(PAY));
    assertThat(engine.book()).isNull();
    assertThat(check(of(PAY, "a")).remaining()).hasValue(1);
    assertThat(check(gold("a", 1)).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    engine =
        RateLimitEngine.builder(store)
            .settings(
                new EngineSettings(
                    false,
                    Optional.empty(),
                    EngineSettings.MissingRules.REJECT,
                    OnStoreFailure.LOCAL,
                    1))
            .build();
    engine.declare(List.of(PAY));
    assertThat(check(of(PAY, "b"), set("web")).reason()).isEqualTo(Reason.MISSING_RULE_SET);
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.MISSING_RULE_SET);
  }

  @Test
  void costAboveTheCapacityIsDeniedForEver() {
    assertThat(check(new CallLimit.OfRule(PAY, "a", 3), of(FIND, "a")).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(left(of(FIND, "a"))).isEqualTo(5);
    assertThatThrownBy(() -> new CallLimit.OfRule(PAY, "a", 0))
        .hasMessageContaining("cost must be 1 to");
    assertThatThrownBy(() -> of(PAY, "")).hasMessageContaining("identity must not be empty");
  }

  @Test
  void killSwitchAllowsEveryCall() {
    engine.enable(false);
    assertThat(check(of(PAY, "a")).reason()).isEqualTo(Reason.DISABLED);
  }

  @Test
  void blockingAndAsynchronousResultsAgree() throws Exception {
    LimitCheck check = LimitCheck.ofLimits(List.of(of(PAY, "a")), RequestContext.EMPTY);
    assertThat(engine.handleAndWait(check).remaining()).hasValue(1);
    assertThat(engine.handle(check).toCompletableFuture()).isCompleted();
    Thread.currentThread().interrupt();
    try {
      assertThat(engine.handleAndWait(check).reason())
          .as("an interrupted thread that need not wait gets its decision")
          .isEqualTo(Reason.LIMIT_EXCEEDED);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    RateLimitHandler handler = any -> engine.handle(any);
    assertThat(handler.handleAndWait(check).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThatExceptionOfType(UnknownNameException.class)
        .isThrownBy(
            () ->
                handler.handleAndWait(
                    LimitCheck.ofLimits(
                        List.of(of(declared("no", 1), "a")), RequestContext.EMPTY)));
  }

  @Test
  void callersWaitOnlyIfEveryLimitThatDeniesSaysSo() {
    EngineSettings settings =
        EngineSettings.DEFAULT.withWaiting(
            OnLimitExceed.REJECT, new EngineSettings.Waiting(true, Duration.ofHours(2), 10));
    engine =
        RateLimitEngine.builder(store)
            .settings(settings)
            .book(RuleBook.builder().plans(List.of(GOLD)).build())
            .build();
    RateLimitRule waits = rule("waits", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build();
    engine.declare(List.of(waits, PAY));
    CallLimit.Policy wait =
        new CallLimit.Policy(Optional.empty(), Optional.of(OnLimitExceed.WAIT_FOR_REFILL));
    CallLimit waitingPlan = new CallLimit.OfPlan("gold", "a", 3, wait);
    assertThat(check(of(waits, "a"), waitingPlan).allowed()).isTrue();
    var waiting =
        engine
            .handle(LimitCheck.ofLimits(List.of(of(waits, "a"), waitingPlan), RequestContext.EMPTY))
            .toCompletableFuture();
    assertThat(waiting).isNotDone();
    waiting.cancel(true);
    assertThat(check(gold("a", 1), of(waits, "a")).reason())
        .as("the plan rejects by default")
        .isEqualTo(Reason.LIMIT_EXCEEDED);
    CallLimit rejectingPlan =
        new CallLimit.OfPlan(
            "gold",
            "a",
            1,
            new CallLimit.Policy(Optional.empty(), Optional.of(OnLimitExceed.REJECT)));
    assertThat(check(waitingPlan, rejectingPlan).reason())
        .as("one bucket of two limits waits if both do")
        .isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(
            engine
                .decideNow(
                    LimitCheck.ofLimits(List.of(of(waits, "a")), RequestContext.EMPTY), false)
                .reason())
        .as("decide never waits")
        .isEqualTo(Reason.LIMIT_EXCEEDED);
  }
}
