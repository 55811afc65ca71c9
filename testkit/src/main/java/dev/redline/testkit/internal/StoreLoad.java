package dev.redline.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Threads that acquire from several stores without pause until they are stopped, half of the times
 * blocking and half asynchronously. After a failure, or a denial without a call, a thread waits
 * briefly, as real callers do.
 */
public final class StoreLoad implements AutoCloseable {
  private static final List<BucketLimits> RULES =
      List.of(
          rule("fast", RateLimitBand.of(50, 1000, Duration.ofSeconds(1))),
          rule("slow", RateLimitBand.of(100_000, 1, Duration.ofHours(1))),
          rule(
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
  private final AtomicReference<@Nullable Throwable> unexpected = new AtomicReference<>();
  private final AtomicLong decided = new AtomicLong();
  private final AtomicLong longestGapNanos = new AtomicLong();
  private final AtomicLong longestCallNanos = new AtomicLong();
  private final AtomicLong lastDecision = new AtomicLong(System.nanoTime());
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  /** Starts threads; each uses one of the stores. */
  public StoreLoad(
      List<StorageProvider> stores,
      int count,
      Function<SplittableRandom, Acquisition> acquisitions) {
    for (int t = 0; t < count; t++) {
      StorageProvider store = stores.get(t % stores.size());
      SplittableRandom random = new SplittableRandom(t);
      Thread thread = new Thread(() -> run(store, random, acquisitions), "load-" + t);
      threads.add(thread);
      thread.start();
    }
  }

  /** Returns limits of a rule. */
  public static BucketLimits rule(String id, RateLimitBand... bands) {
    return new BucketLimits(OwnerKind.RULE, id, List.of(bands));
  }

  /** Returns acquisitions of one or two rules for a random caller. */
  public static Function<SplittableRandom, Acquisition> mixed(int callers) {
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
      StorageProvider store,
      SplittableRandom random,
      Function<SplittableRandom, Acquisition> acquisitions) {
    try {
      while (stop.getCount() > 0) {
        Acquisition acquisition = acquisitions.apply(random);
        long start = System.nanoTime();
        try {
          if (store.acquireNow(acquisition, new Outcome())) {
            if (stop.await(1, TimeUnit.MILLISECONDS)) {
              return;
            }
            continue;
          }
          if (random.nextBoolean()) {
            store.acquireAndWait(acquisition);
          } else {
            await(store, acquisition);
          }
          noteDecision();
        } catch (StoreException e) {
          failures.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
          if (stop.await(10, TimeUnit.MILLISECONDS)) {
            return;
          }
        } finally {
          longestCallNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
        }
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      unexpected.compareAndSet(null, e);
    }
  }

  private void noteDecision() {
    long now = System.nanoTime();
    longestGapNanos.accumulateAndGet(now - lastDecision.getAndSet(now), Math::max);
    decided.incrementAndGet();
  }

  /**
   * Acquires asynchronously, and waits for the outcome.
   *
   * @throws StoreException if the store fails
   */
  public static Outcome await(StorageProvider store, Acquisition acquisition) {
    try {
      return store.acquire(acquisition).toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (TimeoutException e) {
      throw new AssertionError("the acquisition never completes", e);
    } catch (ExecutionException | CompletionException e) {
      if (e.getCause() instanceof StoreException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    }
  }

  /** Returns how many acquisitions were decided so far. */
  public long decided() {
    return decided.get();
  }

  /** Returns why acquisitions failed so far, and how often. */
  public Map<String, Integer> failures() {
    return Map.copyOf(failures);
  }

  /** Returns how many acquisitions failed so far. */
  public long failed() {
    return failures.values().stream().mapToLong(n -> n).sum();
  }

  /** Returns the longest time without a decision of any thread. */
  public Duration longestGap() {
    return Duration.ofNanos(longestGapNanos.get());
  }

  /** Returns the longest time that a caller waited for a decision or a failure. */
  public Duration longestCall() {
    return Duration.ofNanos(longestCallNanos.get());
  }

  /** Waits until so many more acquisitions have been decided. */
  public void awaitDecisions(long more) {
    long target = decided() + more;
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (decided() < target) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("no decisions any more; failures: " + failures);
      }
      LockSupport.parkNanos(5_000_000);
    }
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
