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
 * omission). Half a second of the load comes before what is measured, since the process was idle
 * while others were measured.
 */
final class OpenLoop {
  private static final int DIGITS = 3;
  private static final long NAP_NANOS = 50_000;
  private static final double LEAD_IN_SECONDS = 0.5;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private OpenLoop() {}

  static Sample run(Limiter limiter, int keys, double perSecond, Duration time) {
    Recorder recorder = new Recorder(DIGITS);
    SplittableRandom random = new SplittableRandom(7);
    AtomicLong completed = new AtomicLong();
    AtomicLong decided = new AtomicLong();
    AtomicLong passed = new AtomicLong();
    AtomicLong failures = new AtomicLong();
    LongAccumulator longest = new LongAccumulator(Math::max, 0);
    long leadIn = (long) (perSecond * LEAD_IN_SECONDS);
    long calls = (long) (perSecond * time.toNanos() / 1e9);
    double gap = 1e9 / perSecond;
    long start = System.nanoTime() + (long) (leadIn * gap);
    for (long sent = -leadIn; sent < calls; sent++) {
      boolean measured = sent >= 0;
      long intended = start + (long) (sent * gap);
      while (System.nanoTime() - intended < 0) {
        LockSupport.parkNanos(NAP_NANOS);
      }
      long called = System.nanoTime();
      limiter.acquire(
          random.nextInt(keys),
          (isPassed, failure) -> {
            long now = System.nanoTime();
            if (measured) {
              recorder.recordValue(Math.max(0, now - intended));
              longest.accumulate(now - called);
            }
            if (failure == null) {
              decided.incrementAndGet();
              passed.addAndGet(isPassed ? 1 : 0);
            } else if (measured) {
              failures.incrementAndGet();
            }
            completed.incrementAndGet();
          });
    }
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (completed.get() < leadIn + calls) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            leadIn + calls - completed.get() + " calls did not complete");
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    long nanos = System.nanoTime() - start + (long) (leadIn * gap);
    Histogram histogram = recorder.getIntervalHistogram();
    return Sample.of(decided.get(), passed.get(), failures.get(), nanos)
        .withLatencies(histogram, longest.get());
  }
}
