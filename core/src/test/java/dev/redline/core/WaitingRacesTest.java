package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.redline.core.WaitingFixture.SlowStore;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting callers whose attempt is under way while something else happens. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingRacesTest {
  private static final Duration MS = Duration.ofMillis(1);
  private static final Duration LONG = Duration.ofSeconds(3);

  private final ManualWaitTimer timer = new ManualWaitTimer();
  private final SlowStore slow = new SlowStore();
  private final RateLimitEngine engine = engine(1);

  private RateLimitEngine engine(int permits) {
    return RateLimitEngine.builder(slow)
        .book(book())
        .settings(
            WaitingFixture.CLOSED.withWaiting(
                OnLimitExceed.REJECT, new EngineSettings.Waiting(true, LONG, permits)))
        .waitTimer(timer)
        .build();
  }

  private static RuleBook book() {
    RateLimitBand band = RateLimitBand.of(1, 1, Duration.ofSeconds(1));
    return RuleBook.builder()
        .plans(List.of(RateLimitPlan.of("p", band)))
        .rules(List.of(EngineFixture.rule("r", 1).build()))
        .build();
  }

  private static CompletableFuture<RateLimitResult> acquire(RateLimitEngine engine) {
    return engine.plan("p").acquireAsync("k", 1, LONG).toCompletableFuture();
  }

  private void reset() {
    reset(engine);
  }

  private static void reset(RateLimitEngine engine) {
    assertThat(engine.reset(BucketReset.ofRule("r")).toCompletableFuture()).isDone();
  }

  @Test
  void callerCancelledDuringItsFirstAttemptKeepsNoPermit() {
    CompletableFuture<RateLimitResult> cancelled = acquire(engine);
    cancelled.cancel(false);
    slow.decide(0, false);
    CompletableFuture<RateLimitResult> next = acquire(engine);
    slow.decide(1, false);
    assertThat(next).as("waits with the only permit").isNotDone();
  }

  @Test
  void closingDuringTheFirstAttemptEndsTheWaitAfterIt() {
    CompletableFuture<RateLimitResult> waiting = acquire(engine);
    engine.close();
    assertThat(waiting).as("the attempt may have acquired").isNotDone();
    slow.decide(0, false);
    assertThat(waiting)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
    assertThat(timer.pending()).isZero();
  }

  @Test
  void noTimerIsLeftOfAWaitThatEndsWhileItsDeadlineIsSet() {
    WaitTimer decidesMeanwhile =
        new WaitTimer() {
          @Override
          public long nanoTime() {
            return timer.nanoTime();
          }

          @Override
          public Runnable schedule(Runnable task, long nanos) {
            Runnable scheduled = timer.schedule(task, nanos);
            slow.decide(0, true);
            return scheduled;
          }

          @Override
          public Executor continuations() {
            return timer.continuations();
          }
        };
    RateLimitEngine decided =
        RateLimitEngine.builder(slow)
            .book(book())
            .settings(WaitingFixture.CLOSED)
            .waitTimer(decidesMeanwhile)
            .build();
    assertThat(acquire(decided).join().allowed()).isTrue();
    assertThat(timer.pending()).isZero();
  }

  @Test
  void theNextCallerAttemptsWhenWhatTheFirstAcquiredIsRefilled() {
    RateLimitEngine two = engine(2);
    CompletableFuture<RateLimitResult> first = acquire(two);
    slow.decide(0, false);
    CompletableFuture<RateLimitResult> second = acquire(two);
    timer.advance(Duration.ofSeconds(1));
    slow.decide(1, true);
    assertThat(first.join().allowed()).isTrue();
    timer.advance(Duration.ofMillis(999));
    assertThat(slow.pending).hasSize(2);
    timer.advance(MS);
    assertThat(slow.pending).hasSize(3);
    slow.decide(2, true);
    assertThat(second.join().allowed()).isTrue();
  }

  @Test
  void anAttemptThatBeganBeforeAResetIsFollowedByAnotherAtOnce() {
    CompletableFuture<RateLimitResult> waiting = acquire(engine);
    slow.decide(0, false);
    timer.advance(Duration.ofSeconds(1));
    assertThat(slow.pending).as("an attempt is under way").hasSize(2);
    reset();
    timer.advance(MS);
    slow.decide(1, false);
    timer.advance(MS);
    assertThat(slow.pending).hasSize(3);
    slow.decide(2, true);
    assertThat(waiting.join().allowed()).isTrue();
    assertThat(timer.pending()).isZero();
  }

  @Test
  void aFirstAttemptThatBeganBeforeAResetIsFollowedByAnotherAtOnce() {
    CompletableFuture<RateLimitResult> waiting = acquire(engine);
    reset();
    slow.decide(0, false);
    timer.advance(MS);
    assertThat(slow.pending).hasSize(2);
    slow.decide(1, false);
    timer.advance(MS);
    assertThat(slow.pending).as("the second one began after the reset").hasSize(2);
    assertThat(waiting).isNotDone();
  }

  @Test
  void resetHoldsWhenTheAttemptingCallerLeaves() {
    RateLimitEngine two = engine(2);
    CompletableFuture<RateLimitResult> first = acquire(two);
    slow.decide(0, false);
    CompletableFuture<RateLimitResult> second = acquire(two);
    reset(two);
    timer.advance(Duration.ZERO);
    assertThat(slow.pending).as("the first one attempts").hasSize(2);
    reset(two);
    timer.advance(Duration.ZERO);
    first.cancel(false);
    timer.advance(MS);
    assertThat(slow.pending).as("the second one attempts").hasSize(3);
    slow.decide(2, true);
    assertThat(second.join().allowed()).isTrue();
    assertThat(timer.pending()).isZero();
  }

  @Test
  void metricsThatThrowLoseNoResult() {
    MetricsExporter throwing =
        new MetricsExporter() {
          @Override
          public RuleMeter meter(String ruleSet, String rule) {
            return NONE.meter(ruleSet, rule);
          }

          @Override
          public void waiting(int change) {
            if (change < 0) {
              throw new IllegalStateException("on purpose");
            }
          }
        };
    LocalStore store = new LocalStore(10, timer::micros);
    KeyedLimiter limiter =
        RateLimitEngine.builder(store)
            .book(book())
            .metrics(throwing)
            .waitTimer(timer)
            .build()
            .plan("p");
    assertThat(limiter.tryAcquire("k")).isTrue();
    CompletableFuture<RateLimitResult> waiting =
        limiter.acquireAsync("k", 1, LONG).toCompletableFuture();
    timer.advance(Duration.ofSeconds(1));
    assertThat(waiting).isDone();
    store.close();
  }

  @Test
  void costOfADenialDoesNotGrowWithTheQueue() {
    LocalStore store = new LocalStore(10, timer::micros);
    EngineSettings.Waiting many = new EngineSettings.Waiting(true, LONG, 10_000);
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(book())
            .settings(EngineSettings.DEFAULT.withWaiting(OnLimitExceed.REJECT, many))
            .waitTimer(timer)
            .build();
    KeyedLimiter limiter = engine.plan("p");
    assertThat(limiter.tryAcquire("k")).isTrue();
    for (int i = 0; i < 10_000; i++) {
      assertThat(limiter.acquireAsync("k", 1, Duration.ofDays(1)).toCompletableFuture())
          .isNotDone();
    }
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          for (int i = 0; i < 100_000; i++) {
            limiter.acquireAsync("k", 1, MS);
          }
        });
    RateLimitResult denied = limiter.acquireAsync("k", 1, MS).toCompletableFuture().join();
    assertThat(denied.reason()).isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(denied.retryAfter()).contains(Duration.ofSeconds(10_001));
    engine.close();
    store.close();
  }
}
