package dev.redline.bench.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: a fixed number of calls is always outstanding. The thread that completes a call
 * starts the next one.
 */
final class ClosedLoop {
  private static final int CALLING = 0;
  private static final int WAITING = 1;
  private static final int COMPLETED = 2;
  private static final long TIMEOUT_SECONDS = 60;

  private final CountDownLatch over;
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private final List<Caller> callers = new ArrayList<>();
  private volatile boolean running = true;

  private ClosedLoop(List<Limiter> limiters, int keys, int outstanding) {
    over = new CountDownLatch(limiters.size() * outstanding);
    for (int i = 0; i < outstanding; i++) {
      for (Limiter limiter : limiters) {
        callers.add(new Caller(limiter, keys, callers.size()));
      }
    }
  }

  /** Runs the loop on every limiter, with a number of calls outstanding, for a time. */
  static Sample run(List<Limiter> limiters, int keys, int outstanding, Duration time)
      throws InterruptedException {
    return new ClosedLoop(limiters, keys, outstanding).run(time);
  }

  /** Starts on own threads: a caller whose calls all complete at once keeps a thread busy. */
  private void begin() {
    int threads = Runtime.getRuntime().availableProcessors();
    for (int t = 0; t < threads; t++) {
      int first = t;
      new Thread(
              () -> {
                for (int i = first; i < callers.size(); i += threads) {
                  callers.get(i).acquire();
                }
              },
              "load-" + t)
          .start();
    }
  }

  private Sample run(Duration time) throws InterruptedException {
    long start = System.nanoTime();
    begin();
    TimeUnit.NANOSECONDS.sleep(time.toNanos() - (System.nanoTime() - start));
    running = false;
    if (!over.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(over.getCount() + " calls did not complete");
    }
    long nanos = System.nanoTime() - start;
    long decisions = 0;
    long passed = 0;
    long failures = 0;
    for (Caller caller : callers) {
      decisions += caller.decisions;
      passed += caller.passed;
      failures += caller.failures;
    }
    Throwable failure = firstFailure.get();
    if (failure != null) {
      System.err.println("one of " + failures + " failures: " + failure);
    }
    return Sample.of(decisions, passed, failures, nanos);
  }

  /** One outstanding call at a time; the completing thread writes the fields. */
  private final class Caller implements Limiter.Callback {
    private final AtomicInteger state = new AtomicInteger();
    private final Limiter limiter;
    private final SplittableRandom random;
    private final int keys;
    private long decisions;
    private long passed;
    private long failures;

    Caller(Limiter limiter, int keys, int seed) {
      this.limiter = limiter;
      this.keys = keys;
      this.random = new SplittableRandom(seed);
    }

    /** Calls until a call does not complete at once. */
    void acquire() {
      do {
        if (!running) {
          over.countDown();
          return;
        }
        state.set(CALLING);
        limiter.acquire(random.nextInt(keys), this);
      } while (!state.compareAndSet(CALLING, WAITING));
    }

    @Override
    public void onDecision(boolean isPassed, @Nullable Throwable failure) {
      if (failure == null) {
        decisions++;
        passed += isPassed ? 1 : 0;
      } else {
        failures++;
        firstFailure.compareAndSet(null, failure);
      }
      if (!state.compareAndSet(CALLING, COMPLETED)) {
        acquire();
      }
    }
  }
}
