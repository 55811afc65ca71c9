package dev.redline.bench.http;

import dev.redline.bench.ProcessorTimes;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * The latencies of responses in those seconds in which the hypervisor left the processors to this
 * machine. The second after a disturbed one does not count either: it still has its backlog. Which
 * seconds count does not depend on their latencies. Used by one thread.
 */
final class QuietSeconds {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int DIGITS = 3;

  private final Supplier<ProcessorTimes> times;
  private final Histogram latencies = new Histogram(DIGITS);
  private final Histogram current = new Histogram(DIGITS);
  private ProcessorTimes before;
  private long endNanos;
  private boolean disturbed;
  private int seconds;
  private int quiet;

  /** Begins the first second. */
  QuietSeconds(long nanos, Supplier<ProcessorTimes> times) {
    this.times = times;
    this.before = times.get();
    this.endNanos = nanos + SECOND;
  }

  /** Adds the latency of a response that arrived now. */
  void record(long nanos, long latencyNanos) {
    if (nanos - endNanos >= 0) {
      endSecond();
      endNanos = nanos + SECOND;
    }
    current.recordValue(latencyNanos);
  }

  private void endSecond() {
    ProcessorTimes now = times.get();
    boolean wasDisturbed = disturbed;
    disturbed = now.disturbedSince(before);
    before = now;
    seconds++;
    if (!disturbed && !wasDisturbed) {
      latencies.add(current);
      quiet++;
    }
    current.reset();
  }

  /** The quiet seconds of several loads. */
  static final class Sum {
    /** The part of the seconds that must be quiet for a percentile of them to say something. */
    private static final double ENOUGH = 1.0 / 3;

    private final Histogram latencies = new Histogram(DIGITS);
    private int seconds;
    private int quiet;

    void add(QuietSeconds load) {
      latencies.add(load.latencies);
      seconds += load.seconds;
      quiet += load.quiet;
    }

    /** Returns whether enough seconds were quiet. */
    boolean isEnough() {
      return quiet > 0 && quiet >= ENOUGH * seconds;
    }

    double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1e6;
    }

    int seconds() {
      return seconds;
    }

    int quiet() {
      return quiet;
    }
  }

  /** Returns the latencies of the quiet seconds that are over. */
  Histogram latencies() {
    return latencies;
  }

  /** Returns how many seconds are over. */
  int seconds() {
    return seconds;
  }

  /** Returns how many of them were quiet. */
  int quiet() {
    return quiet;
  }
}
