package dev.redline.bench.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop like the event loops of a server: own threads make the calls. A call that is
 * decided at once is followed by the next one; a reply of Redis makes room for another call, and
 * keeps no I/O thread busy with it.
 */
final class ServingLoop {
  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long NAP_NANOS = 20_000;

  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder passed = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private final Limiter limiter;
  private final int keys;
  private final int outstanding;
  private volatile boolean running = true;

  private ServingLoop(Limiter limiter, int keys, int outstanding) {
    this.limiter = limiter;
    this.keys = keys;
    this.outstanding = outstanding;
  }

  /** Runs the loop for a time, with at most a number of calls waiting for Redis. */
  static Sample run(Limiter limiter, int keys, int outstanding, Duration time)
      throws InterruptedException {
    return new ServingLoop(limiter, keys, outstanding).run(time);
  }

  private Sample run(Duration time) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    // The other processors are for Redis and the client's I/O.
    int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    for (int t = 0; t < count; t++) {
      int seed = t;
      threads.add(new Thread(() -> serve(seed), "load-" + t));
    }
    long start = System.nanoTime();
    threads.forEach(Thread::start);
    Thread.sleep(time.toMillis());
    running = false;
    for (Thread thread : threads) {
      thread.join();
    }
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (waiting.get() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(waiting.get() + " calls did not complete");
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    long nanos = System.nanoTime() - start;
    Throwable failure = firstFailure.get();
    if (failure != null) {
      System.err.println("one of " + failures.sum() + " failures: " + failure);
    }
    return Sample.of(calls.sum() - failures.sum(), passed.sum(), failures.sum(), nanos);
  }

  private void serve(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    while (running) {
      if (waiting.get() >= outstanding) {
        LockSupport.parkNanos(NAP_NANOS);
        continue;
      }
      waiting.incrementAndGet();
      calls.increment();
      limiter.acquire(random.nextInt(keys), this::decided);
    }
  }

  private void decided(boolean isPassed, @Nullable Throwable failure) {
    if (failure != null) {
      failures.increment();
      firstFailure.compareAndSet(null, failure);
    } else if (isPassed) {
      passed.increment();
    }
    waiting.decrementAndGet();
  }
}
