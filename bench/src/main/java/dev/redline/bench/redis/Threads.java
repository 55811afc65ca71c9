package dev.redline.bench.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Threads that call and wait for each decision. */
final class Threads {

  private Threads() {}

  /** Runs a number of threads for a time; with one thread, each call is timed. */
  static Sample run(Limiter limiter, int keys, int threads, Duration time)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Future<Sample>> futures = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        SplittableRandom random = new SplittableRandom(t);
        futures.add(
            pool.submit(
                () -> {
                  start.await();
                  return threads == 1
                      ? timed(limiter, keys, random, time.toNanos())
                      : counted(limiter, keys, random, time.toNanos());
                }));
      }
      long decisions = 0;
      long passed = 0;
      long nanos = 0;
      Sample last = futures.get(0).get();
      for (Future<Sample> future : futures) {
        last = future.get();
        decisions += last.decisions();
        passed += last.passed();
        nanos = Math.max(nanos, last.nanos());
      }
      return Sample.of(decisions, passed, 0, nanos)
          .withLatencies(last.latencies(), 1000 * last.longestMicros());
    } catch (ExecutionException e) {
      throw new IllegalStateException("a thread of the load failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static Sample counted(Limiter limiter, int keys, SplittableRandom random, long time) {
    long decisions = 0;
    long passed = 0;
    long start = System.nanoTime();
    do {
      decisions++;
      passed += limiter.acquireAndWait(random.nextInt(keys)) ? 1 : 0;
    } while ((decisions & 15) != 0 || System.nanoTime() - start < time);
    return Sample.of(decisions, passed, 0, System.nanoTime() - start);
  }

  private static Sample timed(Limiter limiter, int keys, SplittableRandom random, long time) {
    Histogram histogram = Sample.histogram();
    long passed = 0;
    long start = System.nanoTime();
    long before = start;
    do {
      passed += limiter.acquireAndWait(random.nextInt(keys)) ? 1 : 0;
      long after = System.nanoTime();
      histogram.recordValue(after - before);
      before = after;
    } while (before - start < time);
    return Sample.of(histogram.getTotalCount(), passed, 0, before - start)
        .withLatencies(histogram, histogram.getMaxValue());
  }
}
