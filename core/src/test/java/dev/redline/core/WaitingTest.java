package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that wait for one bucket, in order of arrival. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingTest extends WaitingFixture {
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
}
