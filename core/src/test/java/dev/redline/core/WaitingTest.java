package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waiting on a timer and a store whose common clock the test moves. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingTest {
  private static final Duration MS = Duration.ofMillis(1);

  private final ManualWaitTimer timer = new ManualWaitTimer();
  private final LocalStore store = new LocalStore(1000, timer::micros);
  private final List<RateLimitEngine> engines = new ArrayList<>();

  @AfterEach
  void close() {
    engines.forEach(RateLimitEngine::close);
    store.close();
  }

  private static EngineSettings waiting(boolean enabled, int maxWaits) {
    return EngineSettings.DEFAULT.withWaiting(
        OnLimitExceed.REJECT, new EngineSettings.Waiting(enabled, Duration.ofSeconds(3), maxWaits));
  }

  private RateLimitEngine engine(RuleBook book, EngineSettings settings) {
    return engine(RateLimitEngine.builder(store).book(book).settings(settings));
  }

  private RateLimitEngine engine(RateLimitEngine.Builder builder) {
    RateLimitEngine engine = builder.waitTimer(timer).build();
    engines.add(engine);
    return engine;
  }

  private KeyedLimiter limiter(RateLimitBand... bands) {
    return engine(plan(bands), waiting(false, 100)).plan("p");
  }

  private static RuleBook plan(RateLimitBand... bands) {
    return RuleBook.builder().plans(List.of(RateLimitPlan.of("p", bands))).build();
  }

  private static KeyedLimiter spent(KeyedLimiter limiter, int tokens) {
    assertThat(limiter.tryAcquire("k", tokens)).isTrue();
    return limiter;
  }

  private static CompletableFuture<RateLimitResult> wait(
      KeyedLimiter limiter, long tokens, Duration atMost) {
    return limiter.acquireAsync("k", tokens, atMost).toCompletableFuture();
  }

  private static Reason reason(CompletableFuture<RateLimitResult> ended) {
    assertThat(ended).isDone();
    return ended.join().reason();
  }

  private static RateLimitBand perSecond(int tokens) {
    return RateLimitBand.of(tokens, tokens, Duration.ofSeconds(1));
  }

  @Test
  void acquiresAvailableTokensAtOnce() {
    KeyedLimiter limiter = limiter(perSecond(1));
    assertThat(reason(wait(limiter, 1, Duration.ZERO))).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void waitsNoLongerThanUntilTheRefill() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    CompletableFuture<RateLimitResult> waiting = wait(limiter, 1, Duration.ofSeconds(1));
    timer.advance(Duration.ofSeconds(1).minus(MS));
    assertThat(waiting).isNotDone();
    timer.advance(MS);
    assertThat(reason(waiting)).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void deniesAtOnceIfTheWaitCannotEndInTime() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    CompletableFuture<RateLimitResult> waiting =
        wait(limiter, 1, Duration.ofSeconds(1).minusNanos(1000));
    assertThat(reason(waiting)).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.join().retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(waiting.join().limit()).hasValue(1);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void deniesAtOnceIfNoWaitCanHelp() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    CompletableFuture<RateLimitResult> first = wait(limiter, 1, Duration.ofSeconds(9));
    CompletableFuture<RateLimitResult> tooMuch = wait(limiter, 2, Duration.ofSeconds(9));
    assertThat(reason(tooMuch)).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(tooMuch.join().retryAfter()).isEmpty();
    assertThat(first).isNotDone();
  }

  @Test
  void theQueueAheadCountsTowardsTheWait() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(wait(limiter, 1, Duration.ofSeconds(3)));
    }
    assertThat(reason(waiting.get(3))).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(reason(waiting.get(4))).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.get(4).join().retryAfter()).contains(Duration.ofSeconds(4));
    for (int i = 0; i < 3; i++) {
      assertThat(waiting.get(i)).isNotDone();
      timer.advance(Duration.ofSeconds(1));
      assertThat(reason(waiting.get(i))).isEqualTo(Reason.ALLOWED);
    }
  }

  @Test
  void smallCostDoesNotOvertakeALargerOneAhead() {
    KeyedLimiter limiter = spent(limiter(perSecond(10)), 10);
    CompletableFuture<RateLimitResult> large = wait(limiter, 10, Duration.ofSeconds(5));
    CompletableFuture<RateLimitResult> small = wait(limiter, 1, Duration.ofSeconds(5));
    timer.advance(Duration.ofMillis(999));
    assertThat(large).isNotDone();
    assertThat(small).isNotDone();
    timer.advance(MS);
    assertThat(reason(large)).isEqualTo(Reason.ALLOWED);
    assertThat(small).isNotDone();
    timer.advance(Duration.ofMillis(100));
    assertThat(reason(small)).isEqualTo(Reason.ALLOWED);
  }

  @Test
  void newCallerDoesNotOvertakeWaitingOnes() {
    KeyedLimiter limiter = spent(limiter(perSecond(10)), 10);
    CompletableFuture<RateLimitResult> large = wait(limiter, 10, Duration.ofSeconds(5));
    timer.advance(Duration.ofMillis(500));
    CompletableFuture<RateLimitResult> small = wait(limiter, 1, Duration.ofSeconds(5));
    assertThat(small).as("5 tokens are there, for who came first").isNotDone();
    timer.advance(Duration.ofMillis(500));
    assertThat(reason(large)).isEqualTo(Reason.ALLOWED);
    assertThat(small).isNotDone();
    timer.advance(Duration.ofMillis(100));
    assertThat(reason(small)).isEqualTo(Reason.ALLOWED);
  }

  @Test
  void forecastsTheQueueOfEveryAlgorithm() {
    Duration second = Duration.ofSeconds(1);
    RateLimitBand interval =
        RateLimitBand.builder()
            .capacity(2)
            .refillTokens(2)
            .period(second)
            .refill(Refill.INTERVAL)
            .build();
    List<RateLimitBand> bands =
        List.of(
            RateLimitBand.of(2, 2, second),
            interval,
            RateLimitBand.fixedWindow(2, second),
            RateLimitBand.slidingWindow(2, second));
    for (RateLimitBand band : bands) {
      KeyedLimiter limiter = spent(limiter(band), 2);
      List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        waiting.add(wait(limiter, 1, Duration.ofSeconds(10)));
      }
      long accepted = waiting.stream().filter(each -> !each.isDone()).count();
      assertThat(accepted).as(band.toString()).isBetween(8L, 20L);
      timer.advance(Duration.ofSeconds(10));
      assertThat(waiting.stream().filter(each -> each.join().allowed()).count())
          .as("who is told to wait gets in: " + band)
          .isEqualTo(accepted);
      timer.advance(Duration.ofSeconds(100));
      store.sweep();
    }
  }

  @Test
  void severalBandsAreForecastTogether() {
    KeyedLimiter limiter =
        spent(limiter(perSecond(1), RateLimitBand.of(3, 3, Duration.ofMinutes(1))), 1);
    List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(wait(limiter, 1, Duration.ofSeconds(10)));
    }
    assertThat(waiting)
        .extracting(CompletableFuture::isDone)
        .containsExactly(false, false, true, true);
    timer.advance(Duration.ofSeconds(3));
    assertThat(reason(waiting.get(0))).isEqualTo(Reason.ALLOWED);
    assertThat(reason(waiting.get(1))).isEqualTo(Reason.ALLOWED);
  }

  @Test
  void lateTimerDoesNotDenyAnAcceptedWait() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    timer.runLate(MS);
    List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(wait(limiter, 1, Duration.ofSeconds(10)));
    }
    timer.advance(Duration.ofSeconds(11));
    assertThat(waiting).allMatch(each -> each.join().allowed());
  }

  @Test
  void callerThatDoesNotWaitMayAcquireFirst() {
    KeyedLimiter limiter = spent(limiter(perSecond(2)), 2);
    CompletableFuture<RateLimitResult> patient = wait(limiter, 2, Duration.ofSeconds(2));
    CompletableFuture<RateLimitResult> hasty = wait(limiter, 1, Duration.ofMillis(1500));
    timer.advance(Duration.ofMillis(500));
    assertThat(limiter.tryAcquire("k")).as("nothing is reserved").isTrue();
    timer.advance(Duration.ofMillis(500));
    assertThat(patient).isNotDone();
    timer.advance(Duration.ofMillis(500));
    assertThat(reason(patient)).isEqualTo(Reason.ALLOWED);
    timer.advance(Duration.ofMillis(100));
    assertThat(reason(hasty)).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(hasty.join().retryAfter()).isPresent();
  }

  @Test
  void firstInLineIsDeniedWhenItsTimeIsOver() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    CompletableFuture<RateLimitResult> waiting = wait(limiter, 1, Duration.ofMillis(1200));
    timer.advance(Duration.ofMillis(999));
    store.reset(List.of(limits("p"))).toCompletableFuture().join();
    assertThat(limiter.tryAcquire("k")).isTrue();
    timer.advance(MS);
    assertThat(reason(waiting)).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.join().retryAfterMs()).hasValue(999);
    assertThat(timer.pending()).isZero();
  }

  private dev.redline.core.limit.BucketLimits limits(String id) {
    return new dev.redline.core.limit.BucketLimits(
        dev.redline.core.limit.BucketLimits.OwnerKind.PLAN, id, List.of(perSecond(1)));
  }

  @Test
  void firstInLineAttemptsAtOnceAfterAReset() {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("r")
            .addBand(perSecond(1))
            .onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL)
            .build();
    RateLimitEngine engine = engine(RuleBook.of(rule), waiting(true, 10));
    RequestContext request = EngineFixture.request("/");
    engine.check(request);
    CompletableFuture<RateLimitResult> waiting =
        engine.handle(LimitCheck.ofRequest(request)).toCompletableFuture();
    engine.reset(BucketReset.ofRule("r")).toCompletableFuture().join();
    timer.advance(Duration.ZERO);
    assertThat(reason(waiting)).isEqualTo(Reason.ALLOWED);
  }

  @Test
  void noWaitWithoutPermit() {
    RateLimitEngine engine = engine(plan(perSecond(1)), waiting(false, 2));
    KeyedLimiter limiter = spent(engine.plan("p"), 1);
    CompletableFuture<RateLimitResult> first = wait(limiter, 1, Duration.ofSeconds(9));
    CompletableFuture<RateLimitResult> other =
        engine.plan("p").acquireAsync("k", 1, Duration.ofSeconds(9)).toCompletableFuture();
    CompletableFuture<RateLimitResult> third = wait(limiter, 1, Duration.ofSeconds(9));
    assertThat(reason(third)).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(third.join().retryAfter()).contains(Duration.ofSeconds(3));
    timer.advance(Duration.ofSeconds(2));
    assertThat(reason(first)).isEqualTo(Reason.ALLOWED);
    assertThat(reason(other)).isEqualTo(Reason.ALLOWED);
    assertThat(wait(limiter, 1, Duration.ofSeconds(9))).isNotDone();
  }

  @Test
  void cancellingFreesPlaceAndPermit() {
    RateLimitEngine engine = engine(plan(perSecond(1)), waiting(false, 2));
    KeyedLimiter limiter = spent(engine.plan("p"), 1);
    CompletableFuture<RateLimitResult> first = wait(limiter, 1, Duration.ofSeconds(2));
    CompletableFuture<RateLimitResult> second = wait(limiter, 1, Duration.ofSeconds(2));
    first.cancel(false);
    CompletableFuture<RateLimitResult> third = wait(limiter, 1, Duration.ofSeconds(2));
    timer.advance(Duration.ofSeconds(1));
    assertThat(reason(second)).isEqualTo(Reason.ALLOWED);
    timer.advance(Duration.ofSeconds(1));
    assertThat(reason(third)).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void completingTheFutureEndsTheWait() {
    KeyedLimiter limiter = spent(limiter(perSecond(1)), 1);
    wait(limiter, 1, Duration.ofSeconds(2)).complete(RateLimitResult.of(Reason.DISABLED));
    assertThat(timer.pending()).isZero();
    timer.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  void closingEndsAllWaitsAndAllowsNoNewOnes() {
    RateLimitEngine engine = engine(plan(perSecond(1)), waiting(false, 2));
    KeyedLimiter limiter = spent(engine.plan("p"), 1);
    CompletableFuture<RateLimitResult> first = wait(limiter, 1, Duration.ofSeconds(9));
    CompletableFuture<RateLimitResult> second = wait(limiter, 1, Duration.ofSeconds(9));
    engine.close();
    for (CompletableFuture<RateLimitResult> each : List.of(first, second, wait(limiter, 1, MS))) {
      assertThatThrownBy(each::join)
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
    assertThatThrownBy(() -> limiter.acquire("k", MS)).isInstanceOf(IllegalStateException.class);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void onlyTheEndOfAWaitCountsAsADecision() {
    List<MetricsExporter.RuleResult> counted = new ArrayList<>();
    AtomicInteger waiting = new AtomicInteger();
    MetricsExporter metrics =
        new MetricsExporter() {
          @Override
          public RuleMeter meter(String ruleSetId, String ruleId) {
            return counted::add;
          }

          @Override
          public void waiting(int change) {
            waiting.addAndGet(change);
          }
        };
    KeyedLimiter limiter =
        engine(RateLimitEngine.builder(store).book(plan(perSecond(1))).metrics(metrics)).plan("p");
    limiter.check("k");
    CompletableFuture<RateLimitResult> first = wait(limiter, 1, Duration.ofSeconds(9));
    assertThat(waiting).hasValue(1);
    assertThat(reason(wait(limiter, 1, Duration.ofMillis(1500)))).isEqualTo(Reason.WAIT_TIMEOUT);
    // Another takes the token at its time: the attempt of the first one is denied.
    timer.advance(Duration.ofMillis(999));
    store.reset(List.of(limits("p"))).toCompletableFuture().join();
    assertThat(limiter.tryAcquire("k")).isTrue();
    timer.advance(MS);
    assertThat(first).isNotDone();
    timer.advance(Duration.ofSeconds(1));
    assertThat(reason(first)).isEqualTo(Reason.ALLOWED);
    assertThat(waiting).hasValue(0);
    assertThat(counted)
        .containsExactly(
            MetricsExporter.RuleResult.ALLOWED,
            MetricsExporter.RuleResult.DENIED,
            MetricsExporter.RuleResult.ALLOWED,
            MetricsExporter.RuleResult.ALLOWED);
  }

  private RateLimitRule.Builder rule(String id, int perSecond) {
    return RateLimitRule.builder().id(id).addBand(perSecond(perSecond));
  }

  private CompletableFuture<RateLimitResult> checkWaiting(RateLimitEngine engine) {
    return engine.handle(LimitCheck.ofRequest(EngineFixture.request("/"))).toCompletableFuture();
  }

  @Test
  void aRuleLetsCallersWaitUpToItsTime() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(rule("r", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build()),
            waiting(true, 10));
    assertThat(engine.check(EngineFixture.request("/")).allowed()).isTrue();
    List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(checkWaiting(engine));
    }
    assertThat(reason(waiting.get(3))).as("the most is 3 s").isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.get(3).join().ruleId()).contains("r");
    assertThat(engine.check(EngineFixture.request("/")).reason())
        .as("check never waits")
        .isEqualTo(Reason.LIMIT_EXCEEDED);
    timer.advance(Duration.ofSeconds(3));
    assertThat(waiting.subList(0, 3)).allMatch(each -> reason(each) == Reason.ALLOWED);
  }

  @Test
  void noWaitForARuleThatRejects() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(
                rule("waits", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build(),
                rule("rejects", 1).onLimitExceed(OnLimitExceed.REJECT).build()),
            waiting(true, 10));
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(timer.pending()).isZero();
  }

  @ParameterizedTest
  @EnumSource(OnLimitExceed.class)
  void defaultPolicyAppliesToRulesWithoutPolicy(OnLimitExceed policy) {
    RateLimitEngine engine =
        engine(
            RuleBook.of(rule("r", 1).build()),
            EngineSettings.DEFAULT.withWaiting(
                policy, new EngineSettings.Waiting(true, Duration.ofSeconds(3), 10)));
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
    assertThat(checkWaiting(engine).isDone()).isEqualTo(policy == OnLimitExceed.REJECT);
  }

  @Test
  void aDisabledWaitDeniesWithOneWarning() {
    List<String> warnings = new ArrayList<>();
    java.util.logging.Logger logger =
        java.util.logging.Logger.getLogger(WaitingAcquirer.class.getName());
    java.util.logging.Handler handler =
        new java.util.logging.Handler() {
          @Override
          public void publish(java.util.logging.LogRecord record) {
            warnings.add(record.getLevel() + " " + String.valueOf(record.getParameters()[0]));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      RateLimitEngine engine =
          engine(
              RuleBook.of(rule("r", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build()),
              waiting(false, 10));
      assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
      for (int i = 0; i < 3; i++) {
        assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.LIMIT_EXCEEDED);
      }
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(warnings).containsExactly("WARNING rule r");
  }

  @Test
  void waitsForSeveralBucketsOneAfterTheOther() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(
                rule("a", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build(),
                rule("b", 2)
                    .key(KeyField.ip())
                    .onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL)
                    .build()),
            waiting(true, 10));
    RequestContext request = RequestContext.builder().path("/").clientIp("192.0.2.1").build();
    assertThat(engine.check(request).allowed()).isTrue();
    CompletableFuture<RateLimitResult> waiting =
        engine.handle(LimitCheck.ofRequest(request)).toCompletableFuture();
    timer.advance(Duration.ofMillis(900));
    // The other bucket is spent while this one is waited for.
    while (engine.decideNow(LimitCheck.ofRule("b", List.of("192.0.2.1"), 1), false).allowed()) {}
    timer.advance(Duration.ofMillis(200));
    assertThat(waiting).isNotDone();
    timer.advance(Duration.ofMillis(400));
    assertThat(reason(waiting)).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }

  /** A store whose acquisitions the test completes, or not. */
  static final class SlowStore implements StorageProvider {
    final List<CompletableFuture<Outcome>> pending = new ArrayList<>();
    private boolean throwing;

    void decide(int i, boolean allowed) {
      Outcome outcome = new Outcome();
      outcome.reset(1);
      outcome.views()[0] = allowed ? 0 : 1_000_000;
      if (allowed) {
        outcome.pass(0);
      }
      outcome.decide(allowed, EngineFixture.START);
      pending.get(i).complete(outcome);
    }

    @Override
    public String type() {
      return "slow";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      if (throwing) {
        throw new IllegalStateException("on purpose");
      }
      CompletableFuture<Outcome> stage = new CompletableFuture<>();
      pending.add(stage);
      return stage;
    }

    @Override
    public void close() {}
  }

  static final EngineSettings CLOSED =
      new EngineSettings(
          false, Optional.empty(), EngineSettings.MissingRules.ALLOW, OnStoreFailure.CLOSED, 1);

  @Test
  void waitEndsAlthoughTheStoreNeverCompletes() {
    SlowStore slow = new SlowStore();
    KeyedLimiter limiter =
        engine(RateLimitEngine.builder(slow).book(plan(perSecond(1))).settings(CLOSED)).plan("p");
    CompletableFuture<RateLimitResult> waiting = wait(limiter, 1, Duration.ofSeconds(1));
    timer.advance(Duration.ofSeconds(1).plusMillis(25));
    assertThat(reason(waiting)).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.join().plan()).contains("p");
    slow.pending.get(0).completeExceptionally(new IllegalStateException("late"));
    assertThat(timer.pending()).isZero();
  }

  @Test
  void aResetDuringAnAttemptDoesNotAcquireTwice() {
    SlowStore slow = new SlowStore();
    RateLimitRule rule = rule("r", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build();
    EngineSettings settings =
        CLOSED.withWaiting(
            OnLimitExceed.REJECT, new EngineSettings.Waiting(true, Duration.ofSeconds(3), 10));
    RateLimitEngine engine =
        engine(RateLimitEngine.builder(slow).book(RuleBook.of(rule)).settings(settings));
    CompletableFuture<RateLimitResult> waiting = checkWaiting(engine);
    slow.decide(0, false);
    timer.advance(Duration.ofSeconds(1));
    assertThat(slow.pending).as("an attempt is under way").hasSize(2);
    assertThat(engine.reset(BucketReset.ofRule("r")).toCompletableFuture())
        .isCompletedExceptionally();
    timer.advance(MS);
    assertThat(slow.pending).hasSize(2);
    slow.decide(1, true);
    assertThat(reason(waiting)).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void throwingStoreCountsAsFailed() {
    SlowStore slow = new SlowStore();
    slow.throwing = true;
    KeyedLimiter limiter =
        engine(RateLimitEngine.builder(slow).book(plan(perSecond(1))).settings(CLOSED)).plan("p");
    assertThat(reason(wait(limiter, 1, MS))).isEqualTo(Reason.FAIL_CLOSED);
  }

  @Test
  void storeFailureIsDecidedByTheStrategyWithoutWaiting() {
    SlowStore slow = new SlowStore();
    KeyedLimiter limiter =
        engine(RateLimitEngine.builder(slow).book(plan(perSecond(1))).settings(CLOSED)).plan("p");
    CompletableFuture<RateLimitResult> waiting = wait(limiter, 1, Duration.ofSeconds(1));
    slow.pending.get(0).completeExceptionally(new IllegalStateException("down"));
    assertThat(reason(waiting)).isEqualTo(Reason.FAIL_CLOSED);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void hugeWaitsAndCostsDoNotOverflow() {
    Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
    RateLimitBand century = RateLimitBand.of(1_000_000, 10_000, Duration.ofDays(365));
    KeyedLimiter limiter = spent(limiter(century), 1_000_000);
    CompletableFuture<RateLimitResult> first = wait(limiter, 600_000, ever);
    CompletableFuture<RateLimitResult> second = wait(limiter, 1_000_000, ever);
    assertThat(first).isNotDone();
    assertThat(reason(second)).as("160 years are too long").isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(second.join().retryAfter().orElseThrow()).isGreaterThan(Duration.ofDays(150 * 365));
    assertThat(reason(wait(limiter, 1, Duration.ofSeconds(-1)))).isEqualTo(Reason.WAIT_TIMEOUT);
  }
}
