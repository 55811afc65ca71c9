package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting while the store is slow or fails, and extreme waits. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingOnSlowStoreTest extends WaitingFixture {
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
