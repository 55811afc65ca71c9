package dev.redline.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.settings.Settings;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A Redis that comes and goes: what is admitted in all stays within its bound. */
@Tag("faults")
class FlapsTest {
  private static final int CAPACITY = 100;
  private static final int PER_SECOND = 20;
  private static final double SHARE = 0.5;
  private static final int FLAPS = 10;

  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS =
      RedisExtension.of(() -> RedisServer.start(RedisBinary.any()));

  private final AtomicInteger byRedis = new AtomicInteger();
  private final AtomicInteger byThisNode = new AtomicInteger();
  private final List<String> wrong = new ArrayList<>();
  private volatile boolean over;

  @Test
  void tenFlapsAdmitNoMoreThanTheSharedLimitAndThisNodesShare() {
    RuleBook book =
        RuleBook.of(
            RateLimitRule.builder()
                .id("one")
                .addBand(RateLimitBand.of(CAPACITY, PER_SECOND, Duration.ofSeconds(1)))
                .build());
    EngineSettings settings =
        new EngineSettings(
            false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, SHARE);
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore redis = RedisStore.start(RedisSettings.of(proxy.uri()));
        LocalStore fallback = new LocalStore()) {
      assertThat(redis.awaitReady(Duration.ofSeconds(20))).isTrue();
      History history = new History();
      CircuitBreakingStore guarded =
          new CircuitBreakingStore(
              new RecordingStore(redis, history.record("node", redis)),
              Settings.parse(Map.of()).circuitBreaker(),
              Duration.ofMillis(50));
      RateLimitEngine engine =
          RateLimitEngine.builder(guarded).fallback(fallback).settings(settings).book(book).build();
      long start = System.nanoTime();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        callers.add(new Thread(() -> ask(engine)));
      }
      callers.forEach(Thread::start);
      for (int flap = 0; flap < FLAPS; flap++) {
        LockSupport.parkNanos(500_000_000);
        proxy.stall();
        LockSupport.parkNanos(700_000_000);
        proxy.resume();
      }
      LockSupport.parkNanos(500_000_000);
      over = true;
      callers.forEach(FlapsTest::join);
      double seconds = (System.nanoTime() - start) / 1e9;

      assertThat(wrong).isEmpty();
      HistoryChecker.check(history);
      assertThat(byThisNode.get()).as("the fallback decided").isPositive();
      double shared = CAPACITY + PER_SECOND * seconds;
      assertThat((double) byRedis.get()).isLessThanOrEqualTo(shared);
      assertThat((double) byThisNode.get()).isLessThanOrEqualTo(SHARE * shared);
      System.out.printf(
          "%d flaps in %.1f s: %d admitted by Redis (at most %.0f), %d here (at most %.0f)%n",
          FLAPS, seconds, byRedis.get(), shared, byThisNode.get(), SHARE * shared);
    }
  }

  private void ask(RateLimitEngine engine) {
    while (!over) {
      RateLimitResult result = engine.check(RequestContext.builder().path("/").build());
      if (result.reason() == Reason.ALLOWED) {
        byRedis.incrementAndGet();
      } else if (result.reason() == Reason.LOCAL_FALLBACK) {
        byThisNode.incrementAndGet();
      } else if (result.reason() != Reason.LIMIT_EXCEEDED) {
        synchronized (wrong) {
          wrong.add(result.toString());
        }
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
