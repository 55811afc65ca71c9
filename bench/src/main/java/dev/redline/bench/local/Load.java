package dev.redline.bench.local;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that acquire from random keys as fast as they can, for a time. */
final class Load {
  private static final int BURST = 256;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Load() {}

  /**
   * The result of a load, over all its threads.
   *
   * @param decisions the number of decisions
   * @param passed how many of them were allowed
   * @param nanos the time of all threads together
   * @param cpuNanos the processor time of all threads together
   * @param bytes the bytes they allocated on the heap
   */
  record Sample(long decisions, long passed, long nanos, long cpuNanos, long bytes) {
    double nanosPerDecision() {
      return (double) nanos / decisions;
    }

    double cpuNanosPerDecision() {
      return (double) cpuNanos / decisions;
    }

    double bytesPerDecision() {
      return (double) bytes / decisions;
    }

    double passedShare() {
      return (double) passed / decisions;
    }

    private Sample plus(Sample other) {
      return new Sample(
          decisions + other.decisions,
          passed + other.passed,
          nanos + other.nanos,
          cpuNanos + other.cpuNanos,
          bytes + other.bytes);
    }
  }

  static Sample run(KeyPopulation population, int keys, int threads, Duration time)
      throws InterruptedException {
    return run(population, keys, threads, time, 0);
  }

  /** Runs for a time, and until each thread has made a number of decisions. */
  static Sample run(
      KeyPopulation population, int keys, int threads, Duration time, long minDecisions)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Future<Sample>> futures = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        long seed = 0x9E3779B97F4A7C15L * (thread + 1);
        KeyPopulation.Caller caller = population.caller();
        futures.add(
            pool.submit(
                () -> {
                  start.await();
                  return acquire(caller, keys, seed, time.toNanos(), minDecisions);
                }));
      }
      Sample sum = new Sample(0, 0, 0, 0, 0);
      for (Future<Sample> future : futures) {
        sum = sum.plus(future.get());
      }
      return sum;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a thread of the load failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static Sample acquire(
      KeyPopulation.Caller caller, int keys, long seed, long nanos, long minDecisions) {
    FastRandom random = new FastRandom(seed, keys);
    long id = Thread.currentThread().getId();
    long decisions = 0;
    long passed = 0;
    long bytesBefore = THREADS.getThreadAllocatedBytes(id);
    long cpuBefore = THREADS.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    long elapsed;
    do {
      passed += burst(caller, random);
      decisions += BURST;
      elapsed = System.nanoTime() - start;
    } while (elapsed < nanos || decisions < minDecisions);
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
    long bytes = THREADS.getThreadAllocatedBytes(id) - bytesBefore;
    return new Sample(decisions, passed, elapsed, cpu, bytes);
  }

  private static int burst(KeyPopulation.Caller caller, FastRandom random) {
    int passed = 0;
    for (int i = 0; i < BURST; i++) {
      if (caller.acquire(random.next())) {
        passed++;
      }
    }
    return passed;
  }

  /** Xorshift (Marsaglia): chooses keys evenly, in about a nanosecond. */
  private static final class FastRandom {
    private final long keys;
    private long state;

    FastRandom(long seed, int keys) {
      this.state = seed;
      this.keys = keys;
    }

    int next() {
      long x = state;
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
      state = x;
      return (int) (((x >>> 32) * keys) >>> 32);
    }
  }
}
