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
 * A number of questions that are always outstanding: where an answer arrives, on whatever thread
 * the limiter answers, the next question is asked.
 */
final class ClosedLoop {
  private static final int ASKING = 0;
  private static final int WAITING = 1;
  private static final int ANSWERED = 2;
  private static final long PATIENCE_SECONDS = 60;

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

  /** Asks every limiter with so many questions outstanding, for a while. */
  static Sample run(List<Limiter> limiters, int keys, int outstanding, Duration time)
      throws InterruptedException {
    return new ClosedLoop(limiters, keys, outstanding).run(time);
  }

  /** Starts on threads of its own: a caller whose answers all come at once keeps one busy. */
  private void begin() {
    int threads = Runtime.getRuntime().availableProcessors();
    for (int t = 0; t < threads; t++) {
      int first = t;
      new Thread(
              () -> {
                for (int i = first; i < callers.size(); i += threads) {
                  callers.get(i).ask();
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
    if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(over.getCount() + " questions are not answered");
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
    return new Sample(decisions, passed, failures, nanos, 0, 0);
  }

  /** One question at a time; its fields are written by whoever answers. */
  private final class Caller implements Limiter.Answer {
    private final AtomicInteger state = new AtomicInteger();
    private final Limiter limiter;
    private final SplittableRandom dice;
    private final int keys;
    private long decisions;
    private long passed;
    private long failures;

    Caller(Limiter limiter, int keys, int seed) {
      this.limiter = limiter;
      this.keys = keys;
      this.dice = new SplittableRandom(seed);
    }

    /** Asks until an answer does not come at once. */
    void ask() {
      do {
        if (!running) {
          over.countDown();
          return;
        }
        state.set(ASKING);
        limiter.ask(dice.nextInt(keys), this);
      } while (!state.compareAndSet(ASKING, WAITING));
    }

    @Override
    public void told(boolean isPassed, @Nullable Throwable failure) {
      if (failure == null) {
        decisions++;
        passed += isPassed ? 1 : 0;
      } else {
        failures++;
        firstFailure.compareAndSet(null, failure);
      }
      if (!state.compareAndSet(ASKING, ANSWERED)) {
        ask();
      }
    }
  }
}
