package dev.redline.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting on real threads and real time: every caller ends, and nothing is left behind. */
@Tag("stress")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingStressTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** Returns virtual threads where there are some, so that both kinds are tested. */
  private static ExecutorService threads() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException olderJdk) {
      return Executors.newCachedThreadPool();
    }
  }

  @Test
  void everyWaitingThreadIsServed() throws Exception {
    ExecutorService pool = threads();
    try (KeyedLimiter limiter = KeyedLimiter.of("500/s")) {
      limiter.tryAcquire("k", 500);
      List<Future<Boolean>> waiting = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        waiting.add(pool.submit(() -> limiter.acquire("k", LONG)));
      }
      for (Future<Boolean> each : waiting) {
        assertThat(each.get(40, SECONDS)).isTrue();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void interruptedCallerReleasesItsPlaceAndPermit() throws Exception {
    ExecutorService pool = threads();
    try (KeyedLimiter limiter = KeyedLimiter.of("1/s burst 1")) {
      limiter.tryAcquire("k", 2);
      CountDownLatch entered = new CountDownLatch(1);
      AtomicReference<Thread> first = new AtomicReference<>();
      Future<Boolean> interrupted =
          pool.submit(
              () -> {
                first.set(Thread.currentThread());
                entered.countDown();
                return limiter.acquire("k", 2, Duration.ofSeconds(20));
              });
      assertThat(entered.await(10, SECONDS)).isTrue();
      first.get().interrupt();
      assertThatThrownBy(() -> interrupted.get(10, SECONDS))
          .hasCauseInstanceOf(InterruptedException.class);
      assertThat(pool.submit(() -> limiter.acquire("k", LONG)).get(20, SECONDS)).isTrue();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void anInterruptedThreadDoesNotAcquire() {
    try (KeyedLimiter limiter = KeyedLimiter.of("1/h")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> limiter.acquire("k", LONG)).isInstanceOf(InterruptedException.class);
      assertThat(limiter.tryAcquire("k")).isTrue();
    }
  }

  @Test
  void closingEndsEveryThreadThatWaits() throws Exception {
    ExecutorService pool = threads();
    try {
      KeyedLimiter limiter = KeyedLimiter.of("1/h");
      limiter.tryAcquire("k");
      List<Future<Boolean>> waiting = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        waiting.add(pool.submit(() -> limiter.acquire("k", Duration.ofDays(10))));
      }
      // Some threads have not begun to wait yet: they must end as well.
      limiter.close();
      for (Future<Boolean> each : waiting) {
        assertThatThrownBy(() -> each.get(10, SECONDS))
            .hasCauseInstanceOf(IllegalStateException.class);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void randomCancellationsLoseNoCallerPlaceOrPermit() throws Exception {
    LocalStore store = new LocalStore();
    EngineSettings settings =
        EngineSettings.DEFAULT.withWaiting(
            dev.redline.core.rule.OnLimitExceed.REJECT,
            new EngineSettings.Waiting(false, LONG, 64));
    AtomicInteger waiting = new AtomicInteger();
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .settings(settings)
            .metrics(
                new dev.redline.core.spi.MetricsExporter() {
                  @Override
                  public RuleMeter meter(String ruleSetId, String ruleId) {
                    return RuleMeter.NONE;
                  }

                  @Override
                  public void waiting(int change) {
                    waiting.addAndGet(change);
                  }
                })
            .book(
                RuleBook.builder()
                    .plans(
                        List.of(
                            RateLimitPlan.of(
                                "p", RateLimitBand.of(20, 2000, Duration.ofSeconds(1)))))
                    .build())
            .build();
    KeyedLimiter limiter = engine.plan("p");
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> clients = new ArrayList<>();
      for (int c = 0; c < 4; c++) {
        Random random = new Random(c);
        clients.add(pool.submit(() -> acquireAndCancel(limiter, random)));
      }
      for (Future<?> client : clients) {
        client.get(40, SECONDS);
      }
      Awaitility.await().until(() -> waiting.get() == 0);
      assertThat(limiter.acquire("a", LONG)).isTrue();
    } finally {
      pool.shutdownNow();
      engine.close();
      store.close();
    }
  }

  private static void acquireAndCancel(KeyedLimiter limiter, Random random) {
    for (int round = 0; round < 50; round++) {
      List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String key = random.nextBoolean() ? "a" : "b";
        waiting.add(
            limiter
                .acquireAsync(key, 1 + random.nextInt(4), Duration.ofMillis(random.nextInt(60)))
                .toCompletableFuture());
      }
      for (CompletableFuture<RateLimitResult> each : waiting) {
        if (random.nextInt(3) == 0) {
          each.cancel(false);
        }
      }
      waiting.stream().filter(each -> !each.isCancelled()).forEach(CompletableFuture::join);
    }
  }

  @Test
  void blockingContinuationsDelayNeitherTimerNorCallers() throws Exception {
    try (KeyedLimiter limiter = KeyedLimiter.of("100/s")) {
      limiter.tryAcquire("blocked", 100);
      limiter.tryAcquire("free", 100);
      Thread test = Thread.currentThread();
      CountDownLatch release = new CountDownLatch(1);
      List<CompletableFuture<String>> blocked = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        blocked.add(
            limiter
                .acquireAsync("blocked", 1, LONG)
                .thenApply(
                    result -> {
                      // A stage that is complete already runs its continuation on this thread.
                      if (Thread.currentThread() != test) {
                        awaitQuietly(release);
                      }
                      return Thread.currentThread().getName();
                    })
                .toCompletableFuture());
      }
      for (int i = 0; i < 20; i++) {
        assertThat(limiter.acquire("free", LONG)).isTrue();
      }
      // A continuation may acquire again, and wait for that.
      CompletableFuture<Boolean> nested =
          limiter
              .acquireAsync("free", 5, LONG)
              .thenApply(
                  result ->
                      limiter.acquireAsync("free", 5, LONG).toCompletableFuture().join().allowed())
              .toCompletableFuture();
      assertThat(nested.get(20, SECONDS)).isTrue();
      release.countDown();
      for (CompletableFuture<String> each : blocked) {
        assertThat(each.get(20, SECONDS))
            .matches(name -> name.startsWith("redline-wait-result") || name.equals(test.getName()));
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
