package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;

/**
 * Threads that acquire from several nodes without pause until they are stopped. After a failure or
 * a denial from the deny cache, a thread waits briefly, as real callers do.
 */
final class ConcurrentLoad implements AutoCloseable {
  private static final List<BucketLimits> RULES =
      List.of(
          Nodes.rule("fast", RateLimitBand.of(50, 1000, Duration.ofSeconds(1))),
          Nodes.rule("slow", Nodes.slow(100_000)),
          Nodes.rule(
              "several",
              RateLimitBand.of(300, 700, Duration.ofSeconds(1)),
              RateLimitBand.slidingWindow(3000, Duration.ofSeconds(2)),
              RateLimitBand.builder()
                  .capacity(2000)
                  .refillTokens(30)
                  .period(Duration.ofMillis(50))
                  .refill(Refill.INTERVAL)
                  .build()));

  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> unexpected = new AtomicReference<>();
  private final AtomicLong decided = new AtomicLong();
  private final AtomicLong spent = new AtomicLong();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final List<Long> decisions = new ArrayList<>();

  ConcurrentLoad(
      List<StorageProvider> nodes,
      int count,
      Function<SplittableRandom, Acquisition> acquisitions) {
    for (int t = 0; t < count; t++) {
      StorageProvider node = nodes.get(t % nodes.size());
      SplittableRandom random = new SplittableRandom(t);
      Thread thread = new Thread(() -> run(node, random, acquisitions), "load-" + t);
      threads.add(thread);
      thread.start();
    }
  }

  /** Returns acquisitions of one or two rules for a random caller. */
  static Function<SplittableRandom, Acquisition> mixed(int callers) {
    return random -> {
      String caller = "caller-" + random.nextInt(callers);
      int first = random.nextInt(RULES.size());
      long cost = 1L + random.nextInt(3);
      Acquisition one = Acquisition.of(new RateLimitKey(RULES.get(first), caller), cost);
      int second = random.nextInt(RULES.size());
      return second == first || random.nextBoolean()
          ? one
          : one.toBuilder()
              .add(new RateLimitKey(RULES.get(second), caller), 1, random.nextInt(4) == 0)
              .build();
    };
  }

  private void run(
      StorageProvider node,
      SplittableRandom random,
      Function<SplittableRandom, Acquisition> acquisitions) {
    try {
      while (stop.getCount() > 0) {
        Acquisition acquisition = acquisitions.apply(random);
        try {
          Outcome known = new Outcome();
          if (!node.acquireNow(acquisition, known)) {
            if (random.nextBoolean()) {
              node.acquireAndWait(acquisition);
            } else {
              Nodes.await(node, acquisition);
            }
            note();
          } else {
            if (known.allowed()) {
              spent.incrementAndGet();
            }
            if (stop.await(1, TimeUnit.MILLISECONDS)) {
              return;
            }
          }
        } catch (StoreException e) {
          failures.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
          if (stop.await(10, TimeUnit.MILLISECONDS)) {
            return;
          }
        }
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      unexpected.compareAndSet(null, e);
    }
  }

  private void note() {
    decided.incrementAndGet();
    synchronized (decisions) {
      decisions.add(System.nanoTime());
    }
  }

  /** Returns how many acquisitions Redis decided so far. */
  long decided() {
    return decided.get();
  }

  /** Waits until Redis has decided this many more acquisitions. */
  void awaitDecisions(long more) {
    await(more, this::decided);
  }

  /** Waits until this many more acquisitions were decided by Redis or by leased tokens. */
  void awaitDecisionsAndSpends(long more) {
    await(more, () -> decided() + spent.get());
  }

  private static void await(long more, LongSupplier number) {
    long target = number.getAsLong() + more;
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(30))
        .until(() -> number.getAsLong() >= target);
  }

  /** Returns why acquisitions failed so far, and how often. */
  Map<String, Integer> failures() {
    return Map.copyOf(failures);
  }

  long failed() {
    return failures.values().stream().mapToInt(n -> n).sum();
  }

  /** Returns the time of the first decision after a given time; MAX_VALUE if there is none yet. */
  long firstAfter(long nanos) {
    synchronized (decisions) {
      for (long moment : decisions) {
        if (moment - nanos > 0) {
          return moment;
        }
      }
    }
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {
    stop.countDown();
    for (Thread thread : threads) {
      try {
        thread.join(30_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      assertThat(thread.isAlive()).as("a thread is still blocked").isFalse();
    }
    assertThat(unexpected.get()).isNull();
  }
}
