package dev.redline.bench.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The result of a load.
 *
 * @param decisions the number of decisions
 * @param passed how many of them were allowed
 * @param failures how many calls failed
 * @param nanos the time of the load
 * @param cpuNanos the processor time of the process that made the load
 * @param longestMicros the longest time from a call to its completion, 0 where it was not measured
 * @param latencies the latencies in nanoseconds; empty where they were not measured
 */
record Sample(
    long decisions,
    long passed,
    long failures,
    long nanos,
    long cpuNanos,
    long longestMicros,
    Histogram latencies) {
  private static final int DIGITS = 3;
  private static final long LONGEST_NANOS = 60_000_000_000L;

  /** Returns an empty histogram of latencies. */
  static Histogram histogram() {
    return new Histogram(LONGEST_NANOS, DIGITS);
  }

  /** Returns a sample without latencies. */
  static Sample of(long decisions, long passed, long failures, long nanos) {
    return new Sample(decisions, passed, failures, nanos, 0, 0, histogram());
  }

  Sample withLatencies(Histogram measured, long longestNanos) {
    return new Sample(decisions, passed, failures, nanos, cpuNanos, longestNanos / 1000, measured);
  }

  Sample withCpu(long measured) {
    return new Sample(decisions, passed, failures, nanos, measured, longestMicros, latencies);
  }

  double perSecond() {
    return decisions * 1e9 / nanos;
  }

  /** Returns the processor time of the client per decision. */
  double cpuMicros() {
    return cpuNanos / 1000.0 / Math.max(1, decisions);
  }

  double p50Micros() {
    return latencies.getValueAtPercentile(50) / 1000.0;
  }

  double p99Micros() {
    return latencies.getValueAtPercentile(99) / 1000.0;
  }

  String line() {
    ByteBuffer packed = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
    int length = latencies.encodeIntoCompressedByteBuffer(packed);
    return String.format(
        Locale.ROOT,
        "%d %d %d %d %d %d %s",
        decisions,
        passed,
        failures,
        nanos,
        cpuNanos,
        longestMicros,
        Base64.getEncoder().encodeToString(Arrays.copyOf(packed.array(), length)));
  }

  static Sample parse(String line) {
    List<String> words = List.of(line.split(" "));
    ByteBuffer packed = ByteBuffer.wrap(Base64.getDecoder().decode(words.get(6)));
    try {
      return new Sample(
          Long.parseLong(words.get(0)),
          Long.parseLong(words.get(1)),
          Long.parseLong(words.get(2)),
          Long.parseLong(words.get(3)),
          Long.parseLong(words.get(4)),
          Long.parseLong(words.get(5)),
          Histogram.decodeFromCompressedByteBuffer(packed, LONGEST_NANOS));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not the histogram of a sample", e);
    }
  }
}
