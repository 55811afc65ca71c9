package dev.redline.stores.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads on a cache at its maximum: every acquisition returns. */
@Tag("stress")
class CaffeineLivenessTest {
  private static final int MAX_KEYS = 100;
  private static final int THREADS = 1000;
  private static final long DECISIONS = 200_000;

  private static BucketLimits limits(String rule, int bands) {
    List<RateLimitBand> all =
        List.of(
            RateLimitBand.of(1_000_000, 1_000_000, Duration.ofSeconds(1)),
            RateLimitBand.fixedWindow(1_000_000, Duration.ofSeconds(1)));
    return new BucketLimits(BucketLimits.OwnerKind.RULE, rule, all.subList(0, bands));
  }

  /** One hot key for all threads, beside a stream of keys that the cache has to evict. */
  private static void runOn(ExecutorService threads, int bands) throws Exception {
    BucketLimits limits = limits("a", bands);
    BucketLimits others = limits("b", bands);
    RateLimitKey hot = new RateLimitKey(limits, "hot");
    AtomicLong decisions = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<?>> work = new ArrayList<>();
    CaffeineStore store = new CaffeineStore(MAX_KEYS, MicrosClock.monotonic());
    for (int t = 0; t < THREADS; t++) {
      boolean resets = t % 100 == 0;
      work.add(
          threads.submit(
              () -> {
                Outcome outcome = new Outcome();
                while (!stop.get() && decisions.incrementAndGet() < DECISIONS) {
                  int other = ThreadLocalRandom.current().nextInt(100 * MAX_KEYS);
                  RateLimitKey cold = new RateLimitKey(others, Integer.toString(other));
                  store.acquireNow(
                      Acquisition.builder().take(cold, 1).take(hot, 1).build(), outcome);
                  store.acquireNow(Acquisition.of(hot, 1), outcome);
                  if (resets) {
                    store.reset(hot);
                    store.reset(List.of(limits));
                  }
                }
              }));
    }
    try (store) {
      for (Future<?> each : work) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      stop.set(true);
      threads.shutdown();
    }
    assertThat(decisions.get()).isGreaterThanOrEqualTo(DECISIONS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void virtualThreadsMakeProgressOnOneHotKey(int bands) throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
    ExecutorService threads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    runOn(threads, bands);
  }

  @Test
  void platformThreadsMakeProgressOnOneHotKey() throws Exception {
    runOn(
        Executors.newFixedThreadPool(
            64,
            task -> {
              Thread thread = new Thread(task);
              thread.setDaemon(true);
              return thread;
            }),
        1);
  }
}
