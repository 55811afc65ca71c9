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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever threads do to a store at once, each of them always gets an answer. */
@Tag("stress")
class LivenessTest {
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long WATCHDOG_MILLIS = 10_000;
  private static final int KEYS = 8;

  /** Repeats each work on threads of its own for a while; fails if one does not come to an end. */
  private static void runAll(List<LongConsumer> works) throws InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (LongConsumer work : works) {
      Thread thread =
          new Thread(
              () -> {
                for (long i = 0; !stop.get(); i++) {
                  work.accept(i);
                }
              });
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((t, e) -> failure.compareAndSet(null, e));
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    TimeUnit.NANOSECONDS.sleep(NANOS);
    stop.set(true);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WATCHDOG_MILLIS);
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      assertThat(thread.isAlive())
          .as("still busy: %s", Arrays.toString(thread.getStackTrace()))
          .isFalse();
    }
    assertThat(failure.get()).isNull();
  }

  private static BucketLimits limits(String rule, int bands) {
    RateLimitBand quick = RateLimitBand.of(3, 1000, Duration.ofSeconds(1));
    return bands == 1
        ? Fixture.limits(rule, quick)
        : Fixture.limits(rule, quick, RateLimitBand.fixedWindow(100, Duration.ofMillis(2)));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "100, 1", "1, 2", "4, 2", "100, 2"})
  void insertsResetsOverflowSweepsAndDryRunsEnd(int maxKeys, int bands) throws Exception {
    HashTableStore store =
        new HashTableStore(maxKeys, MicrosClock.monotonic(), Duration.ofMillis(1));
    BucketLimits a = limits("a", bands);
    BucketLimits b = limits("b", 1);
    LongConsumer acquire = i -> Fixture.take(store, random(a), 1);
    LongConsumer acquireBoth =
        i ->
            Fixture.decide(
                store, Acquisition.builder().take(random(b), 1).take(random(a), 1).build());
    LongConsumer dryRun =
        i -> Fixture.decide(store, Acquisition.builder().take(random(a), 1).dryRun(true).build());
    LongConsumer reset = i -> store.reset(List.of(a, b));
    LongConsumer resetKey = i -> store.reset(random(a));
    LongConsumer sweep = i -> store.sweep();
    try (store) {
      runAll(List.of(acquire, acquire, acquireBoth, acquireBoth, dryRun, reset, resetKey, sweep));
    }
  }

  private static RateLimitKey random(BucketLimits limits) {
    return Fixture.key(limits, ThreadLocalRandom.current().nextInt(KEYS));
  }

  /** Without one order of locking for all threads, two of them soon wait for each other. */
  @ParameterizedTest
  @CsvSource({"1, 1", "100, 1", "1, 2", "100, 2"})
  void keysInOppositeOrderAreLockedTogetherWithoutDeadlock(int maxKeys, int bands)
      throws Exception {
    HashTableStore store = new HashTableStore(maxKeys, MicrosClock.monotonic(), null);
    List<BucketLimits> rules = List.of(limits("a", bands), limits("b", 1), limits("c", bands));
    List<LongConsumer> works = new ArrayList<>();
    for (boolean forward : new boolean[] {true, false, true, false}) {
      Acquisition.Builder all = Acquisition.builder();
      for (int i = 0; i < rules.size(); i++) {
        all.take(Fixture.key(rules.get(forward ? i : rules.size() - 1 - i), "k"), 1);
      }
      Acquisition acquisition = all.build();
      works.add(i -> Fixture.decide(store, acquisition));
    }
    runAll(works);
  }

  /** Keys of one owner may have to share an overflow bucket, and others find their own. */
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "100, 1", "1, 2", "4, 2", "100, 2"})
  void severalKeysOfOneOwnerAreLockedTogetherWithoutDeadlock(int maxKeys, int bands)
      throws Exception {
    HashTableStore store =
        new HashTableStore(maxKeys, MicrosClock.monotonic(), Duration.ofMillis(1));
    BucketLimits a = limits("a", bands);
    // More keys than groups, so that some share one.
    LongConsumer acquireThree =
        i -> {
          Acquisition.Builder builder = Acquisition.builder();
          int first = ThreadLocalRandom.current().nextInt(200);
          for (int k = 0; k < 3; k++) {
            builder.take(Fixture.key(a, (first + k * 67) % 200), 1);
          }
          Fixture.decide(store, builder.build());
        };
    LongConsumer reset = i -> store.reset(List.of(a));
    LongConsumer sweep = i -> store.sweep();
    try (store) {
      runAll(List.of(acquireThree, acquireThree, acquireThree, reset, sweep));
    }
  }

  @Test
  void anInterruptedThreadWaitsForALockWithoutLosingTheInterrupt() throws Exception {
    BucketLimits limits = limits("a", 1);
    RateLimitKey key = Fixture.key(limits, "k");
    HashTableStore store = new HashTableStore(10, MicrosClock.monotonic(), null);
    Fixture.take(store, key, 1);
    Bucket bucket = store.peek(key);
    assertThat(bucket).isNotNull();
    assertThat(bucket.lock()).isTrue();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiting =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              store.acquireNow(Acquisition.of(key, 1), new Outcome());
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    bucket.unlock();
    waiting.join(WATCHDOG_MILLIS);
    assertThat(waiting.isAlive()).isFalse();
    assertThat(interrupted).isTrue();
  }
}
