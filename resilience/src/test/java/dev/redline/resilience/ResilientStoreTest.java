package dev.redline.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.KeyedLimiter;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One call makes a limiter on a real Redis survive that Redis is killed. */
@Tag("faults")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResilientStoreTest {
  private RedisServer redis;
  private ResilientStore store;

  @BeforeEach
  void start() {
    redis = RedisServer.start(RedisBinary.any());
    RedisStore remote = RedisStore.start(RedisSettings.of(redis.uri()));
    assertThat(remote.awaitReady(Duration.ofSeconds(20))).isTrue();
    store = ResilientStore.of(remote);
  }

  @AfterEach
  void stop() {
    store.close();
    redis.close();
  }

  @Test
  void limiterFallsBackWhenRedisIsKilled() throws Exception {
    try (KeyedLimiter limiter = KeyedLimiter.of("api", "3/h", store)) {
      // On a busy machine the first decisions may take longer than the command time-out.
      AtomicInteger callers = new AtomicInteger();
      Awaitility.await()
          .until(() -> !limiter.check("caller-" + callers.incrementAndGet()).degraded());
      RateLimitResult shared = limiter.check("alice");
      assertThat(shared.reason()).isEqualTo(Reason.ALLOWED);
      assertThat(shared.degraded()).isFalse();
      redis.kill();
      int allowed = 0;
      for (int i = 0; i < 10; i++) {
        RateLimitResult alone = limiter.check("bob");
        assertThat(alone.degraded()).isTrue();
        allowed += alone.allowed() ? 1 : 0;
      }
      assertThat(allowed).as("the limit, in this process").isEqualTo(3);
      Awaitility.await()
          .until(
              () -> {
                limiter.check("carol");
                return store.state() == BreakerState.OPEN;
              });
      assertThat(limiter.acquire("dave", Duration.ofSeconds(1))).isTrue();
      assertThat(limiter.acquire("bob", Duration.ofSeconds(1))).isFalse();
    }
  }

  @Test
  void limiterUsesRedisAgainAfterRestart() {
    try (KeyedLimiter limiter = KeyedLimiter.of("api", "1000/s", store)) {
      redis.kill();
      assertThat(limiter.check("alice").reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      redis.restart();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> limiter.check("alice").reason() == Reason.ALLOWED);
    }
  }

  @Test
  void callersWaitInOrder() throws Exception {
    try (KeyedLimiter limiter = KeyedLimiter.of("api", "5/s", store)) {
      assertThat(limiter.tryAcquire("alice", 5)).isTrue();
      RateLimitResult first =
          limiter
              .acquireAsync("alice", 1, Duration.ofSeconds(10))
              .thenCompose(result -> limiter.acquireAsync("alice", 1, Duration.ofSeconds(10)))
              .toCompletableFuture()
              .get();
      assertThat(first.reason()).isEqualTo(Reason.ALLOWED);
      assertThat(
              limiter
                  .acquireAsync("alice", 5, Duration.ofMillis(100))
                  .toCompletableFuture()
                  .get()
                  .reason())
          .isEqualTo(Reason.WAIT_TIMEOUT);
    }
  }

  @Test
  void engineUsesFallbackOfStore() {
    RuleBook plans =
        RuleBook.builder()
            .plans(List.of(RateLimitPlan.of("gold", RateLimitBand.parse("2/h"))))
            .build();
    try (RateLimitEngine engine = RateLimitEngine.builder(store).book(plans).build()) {
      redis.kill();
      assertThat(engine.allow("alice", "gold").reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      assertThat(engine.allow("alice", "gold").allowed()).isTrue();
      assertThat(engine.allow("alice", "gold").reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    }
  }

  @Test
  void engineRejectsRemoteStoreWithoutFallback() {
    try (RedisStore bare = RedisStore.start(RedisSettings.of(redis.uri()))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RateLimitEngine.builder(bare).build())
          .withMessageContaining("ResilientStore.of(store)");
    }
  }
}
