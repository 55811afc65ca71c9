package dev.redline.bench.scale;

import org.HdrHistogram.Histogram;

/**
 * What a simulation found while it measured.
 *
 * @param decisions how many requests were decided, or failed
 * @param spent of these, allowed by leased tokens
 * @param recalled of these, denied by the deny cache
 * @param undecided of these, without a decision in time
 * @param denied how many were denied; of the whole run
 * @param early of these, although a token was left; of the whole run
 * @param over how many were allowed without a token; of the whole run
 * @param calls how many script calls the masters ran
 * @param meanLoad the busy part of the time of all masters
 * @param highestLoad that of the busiest master
 * @param nodeLoad the busy part of the time of a node's I/O thread
 * @param redisMicros processor time of Redis for each decision
 * @param nodeMicros processor time of I/O threads for each decision
 * @param meanHeld how many tokens all nodes held on average
 * @param mostHeld how many they held at most
 * @param lost how many tokens crashed nodes held
 * @param latencies of all decisions, in nanoseconds
 * @param seconds how long was measured, in simulated time
 */
record ScaleResult(
    long decisions,
    long spent,
    long recalled,
    long undecided,
    long denied,
    long early,
    long over,
    long calls,
    double meanLoad,
    double highestLoad,
    double nodeLoad,
    double redisMicros,
    double nodeMicros,
    double meanHeld,
    long mostHeld,
    long lost,
    Histogram latencies,
    double seconds) {
  /** Returns the part of a number in all decisions, in percent. */
  double percent(long part) {
    return 100.0 * part / Math.max(1, decisions);
  }

  /** Returns how many decisions were made by a call of Redis. */
  long byCalls() {
    return decisions - spent - recalled - undecided;
  }

  double latencyMillis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e6;
  }
}
