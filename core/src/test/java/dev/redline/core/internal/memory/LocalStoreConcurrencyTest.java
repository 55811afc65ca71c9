package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("stress")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalStoreConcurrencyTest {
  private static final int KEYS = 24;
  private static final int THREADS = 8;
  private static final int CAPACITY = 50;

  private interface Work {
    void run() throws InterruptedException;
  }

  private static void runInParallel(Work work, Work beside) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
    AtomicBoolean done = new AtomicBoolean();
    Future<?> companion =
        threads.submit(
            () -> {
              while (!done.get()) {
                beside.run();
              }
              return null;
            });
    List<Future<?>> workers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      workers.add(
          threads.submit(
              () -> {
                work.run();
                return null;
              }));
    }
    for (Future<?> worker : workers) {
      worker.get();
    }
    done.set(true);
    companion.get();
    threads.shutdown();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  /** Keys come and go between table and overflow; the clock stands, so nothing ever refills. */
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "1, 3", "4, 3", "100, 1", "100, 3"})
  void noKeyGetsMoreThanItsCapacityWhileKeysComeAndGo(int maxKeys, int bands) throws Exception {
    HashTableStore store = new HashTableStore(maxKeys, () -> Fixture.START, null);
    BucketLimits a =
        bands == 1 ? Fixture.limits("a", Fixture.slow(CAPACITY)) : Fixture.three("a", CAPACITY);
    BucketLimits b = Fixture.limits("b", Fixture.slow(CAPACITY));
    AtomicIntegerArray admitted = new AtomicIntegerArray(KEYS);
    runInParallel(
        () -> {
          Outcome outcome = new Outcome();
          ThreadLocalRandom random = ThreadLocalRandom.current();
          for (int i = 0; i < 20_000; i++) {
            int id = random.nextInt(KEYS);
            RateLimitKey key = Fixture.key(a, id);
            RateLimitKey other = Fixture.key(b, random.nextInt(KEYS));
            Acquisition acquisition =
                switch (random.nextInt(4)) {
                  case 0 -> Acquisition.builder().take(other, 1).take(key, 1).build();
                  case 1 -> Acquisition.builder().take(key, 1).dryRun(true).build();
                  default -> Acquisition.of(key, 1);
                };
            store.acquireNow(acquisition, outcome);
            if (outcome.allowed() && !acquisition.dryRun()) {
              admitted.incrementAndGet(id);
            }
          }
        },
        store::sweep);
    assertThat(store.size()).isLessThanOrEqualTo(maxKeys);
    for (int id = 0; id < KEYS; id++) {
      assertThat(admitted.get(id)).as("admitted for %s", id).isLessThanOrEqualTo(CAPACITY);
      if (maxKeys > 2 * KEYS) {
        assertThat(admitted.get(id)).isGreaterThan(0);
      }
    }
  }

  /** Time runs, threads lose their processors between clock and state: no token comes of that. */
  @Test
  void fastRefillUnderContentionIsExact() throws Exception {
    MicrosClock clock = MicrosClock.monotonic();
    HashTableStore store = new HashTableStore(10, clock, null);
    long perSecond = 1_000_000;
    BucketLimits limits =
        Fixture.limits("r", RateLimitBand.of(CAPACITY, perSecond, Duration.ofSeconds(1)));
    RateLimitKey key = Fixture.key(limits, "k");
    AtomicLong admitted = new AtomicLong();
    long start = clock.nowMicros();
    runInParallel(
        () -> {
          Outcome outcome = new Outcome();
          Acquisition one = Acquisition.of(key, 1);
          for (int i = 0; i < 300_000; i++) {
            store.acquireNow(one, outcome);
            if (outcome.allowed()) {
              admitted.incrementAndGet();
            }
          }
        },
        Thread::onSpinWait);
    long micros = clock.nowMicros() - start;
    assertThat(admitted.get()).isLessThanOrEqualTo(CAPACITY + micros);
  }
}
