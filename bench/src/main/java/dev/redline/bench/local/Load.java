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

/** Threads that ask for keys at random as fast as they can, for a while. */
final class Load {
  private static final int BURST = 256;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Load() {}

  /**
   * What a load came to, over all its threads.
   *
   * @param asked how many decisions were made
   * @param passed how many of them passed
   * @param nanos the time of all threads together
   * @param cpuNanos the processor time of all threads together
   * @param bytes what they allocated on the heap
   */
  record Sample(long asked, long passed, long nanos, long cpuNanos, long bytes) {
    double nanosPerDecision() {
      return (double) nanos / asked;
    }

    double cpuNanosPerDecision() {
      return (double) cpuNanos / asked;
    }

    double bytesPerDecision() {
      return (double) bytes / asked;
    }

    double passedShare() {
      return (double) passed / asked;
    }

    private Sample plus(Sample other) {
      return new Sample(
          asked + other.asked,
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

  /** Runs for a while, and until each thread has asked for so many decisions. */
  static Sample run(KeyPopulation population, int keys, int threads, Duration time, long atLeast)
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
                  return ask(caller, keys, seed, time.toNanos(), atLeast);
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

  private static Sample ask(
      KeyPopulation.Caller caller, int keys, long seed, long nanos, long atLeast) {
    Dice dice = new Dice(seed, keys);
    long id = Thread.currentThread().getId();
    long asked = 0;
    long passed = 0;
    long bytesBefore = THREADS.getThreadAllocatedBytes(id);
    long cpuBefore = THREADS.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    long elapsed;
    do {
      passed += burst(caller, dice);
      asked += BURST;
      elapsed = System.nanoTime() - start;
    } while (elapsed < nanos || asked < atLeast);
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
    long bytes = THREADS.getThreadAllocatedBytes(id) - bytesBefore;
    return new Sample(asked, passed, elapsed, cpu, bytes);
  }

  private static int burst(KeyPopulation.Caller caller, Dice dice) {
    int passed = 0;
    for (int i = 0; i < BURST; i++) {
      if (caller.ask(dice.next())) {
        passed++;
      }
    }
    return passed;
  }

  /** Chooses keys evenly, at the price of a nanosecond. */
  private static final class Dice {
    private final long keys;
    private long state;

    Dice(long seed, int keys) {
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
