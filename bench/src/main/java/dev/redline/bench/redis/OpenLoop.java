package dev.redline.bench.redis;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Questions that come at a steady rate, whatever becomes of earlier ones. Each is timed from when
 * it was meant to be asked: a load that falls behind counts its lag as latency.
 */
final class OpenLoop {
  private static final int DIGITS = 3;
  private static final long NAP_NANOS = 50_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private OpenLoop() {}

  static Sample run(Limiter limiter, int keys, double perSecond, Duration time) {
    Recorder recorder = new Recorder(DIGITS);
    SplittableRandom dice = new SplittableRandom(7);
    AtomicLong answered = new AtomicLong();
    AtomicLong passed = new AtomicLong();
    AtomicLong failures = new AtomicLong();
    long questions = (long) (perSecond * time.toNanos() / 1e9);
    double gap = 1e9 / perSecond;
    long start = System.nanoTime();
    for (long asked = 0; asked < questions; asked++) {
      long intended = start + (long) (asked * gap);
      while (System.nanoTime() - intended < 0) {
        LockSupport.parkNanos(NAP_NANOS);
      }
      limiter.ask(
          dice.nextInt(keys),
          (isPassed, failure) -> {
            recorder.recordValue(Math.max(0, System.nanoTime() - intended));
            if (isPassed) {
              passed.incrementAndGet();
            } else if (failure != null) {
              failures.incrementAndGet();
            }
            answered.incrementAndGet();
          });
    }
    long patience = System.nanoTime() + PATIENCE_NANOS;
    while (answered.get() < questions) {
      if (System.nanoTime() - patience > 0) {
        throw new IllegalStateException(questions - answered.get() + " questions not answered");
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    long nanos = System.nanoTime() - start;
    Histogram histogram = recorder.getIntervalHistogram();
    return new Sample(
        questions - failures.get(),
        passed.get(),
        failures.get(),
        nanos,
        histogram.getValueAtPercentile(50) / 1000.0,
        histogram.getValueAtPercentile(99) / 1000.0);
  }
}
