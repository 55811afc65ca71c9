package dev.redline.bench.http;

import org.HdrHistogram.Histogram;

/**
 * The result of a load.
 *
 * @param sent how many requests were sent
 * @param allowed how many had the status 200
 * @param failed how many had another status
 * @param lost how many had no response when their connection was closed
 * @param nanos the time of the load
 * @param latencies in nanoseconds; of an open loop, from the intended start
 * @param quiet the latencies of the seconds in which the machine had its processors for itself
 */
record LoadResult(
    long sent,
    long allowed,
    long failed,
    long lost,
    long nanos,
    Histogram latencies,
    QuietSeconds quiet) {
  double perSecond() {
    return allowed * 1e9 / nanos;
  }

  /** Returns how many requests failed or were lost. */
  long errors() {
    return failed + lost;
  }

  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e6;
  }
}
