package dev.redline.bench.http;

import dev.redline.bench.ProcessorTimes;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * The latencies of responses in those seconds in which the hypervisor left the processors to this
 * machine. After disturbed seconds as many others do not count either: they have their backlog,
 * which a server at half of its peak needs that long for. Which seconds count does not depend on
 * their latencies. Used by one thread.
 */
final class QuietSeconds {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int DIGITS = 3;

  private final Supplier<ProcessorTimes> times;
  private final Histogram latencies = new Histogram(DIGITS);
  private final Histogram current = new Histogram(DIGITS);
  private ProcessorTimes before;
  private long startNanos;
  private int backlogSeconds;
  private int seconds;
  private int quiet;

  /** Begins the first second. */
  QuietSeconds(long nanos, Supplier<ProcessorTimes> times) {
    this.times = times;
    this.before = times.get();
    this.startNanos = nanos;
  }

  /** Adds the latency of a response that arrived now. */
  void record(long nanos, long latencyNanos) {
    if (nanos - startNanos >= SECOND) {
      end((int) ((nanos - startNanos) / SECOND));
      startNanos = nanos;
    }
    current.recordValue(latencyNanos);
  }

  /** Ends a second; or several, if no response arrived for so long. */
  private void end(int elapsed) {
    ProcessorTimes now = times.get();
    if (now.disturbedSince(before)) {
      backlogSeconds += elapsed;
    } else if (backlogSeconds > 0) {
      backlogSeconds = Math.max(0, backlogSeconds - elapsed);
    } else {
      latencies.add(current);
      quiet += elapsed;
    }
    before = now;
    seconds += elapsed;
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
