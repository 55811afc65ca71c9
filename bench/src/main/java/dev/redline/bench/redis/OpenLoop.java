package dev.redline.bench.redis;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * An open loop: calls start at a steady rate, independent of earlier ones. The latency counts from
 * the intended start, so that a load that falls behind does not hide its lag (coordinated
 * omission).
 */
final class OpenLoop {
  private static final int DIGITS = 3;
  private static final long NAP_NANOS = 50_000;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private OpenLoop() {}

  static Sample run(Limiter limiter, int keys, double perSecond, Duration time) {
    Recorder recorder = new Recorder(DIGITS);
    SplittableRandom random = new SplittableRandom(7);
    AtomicLong completed = new AtomicLong();
    AtomicLong passed = new AtomicLong();
    AtomicLong failures = new AtomicLong();
    LongAccumulator longest = new LongAccumulator(Math::max, 0);
    long calls = (long) (perSecond * time.toNanos() / 1e9);
    double gap = 1e9 / perSecond;
    long start = System.nanoTime();
    for (long sent = 0; sent < calls; sent++) {
      long intended = start + (long) (sent * gap);
      while (System.nanoTime() - intended < 0) {
        LockSupport.parkNanos(NAP_NANOS);
      }
      long called = System.nanoTime();
      limiter.acquire(
          random.nextInt(keys),
          (isPassed, failure) -> {
            long now = System.nanoTime();
            recorder.recordValue(Math.max(0, now - intended));
            longest.accumulate(now - called);
            if (isPassed) {
              passed.incrementAndGet();
            } else if (failure != null) {
              failures.incrementAndGet();
            }
            completed.incrementAndGet();
          });
    }
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (completed.get() < calls) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(calls - completed.get() + " calls did not complete");
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    long nanos = System.nanoTime() - start;
    Histogram histogram = recorder.getIntervalHistogram();
    return Sample.of(calls - failures.get(), passed.get(), failures.get(), nanos)
        .withLatencies(histogram, longest.get());
  }
}
