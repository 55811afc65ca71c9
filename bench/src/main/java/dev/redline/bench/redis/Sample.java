package dev.redline.bench.redis;

import java.util.List;
import java.util.Locale;

/**
 * The result of a load.
 *
 * @param decisions the number of decisions
 * @param passed how many of them were allowed
 * @param failures how many calls failed
 * @param nanos the time of the load
 * @param p50Micros the median latency, 0 where it was not measured
 * @param p99Micros the latency of the slowest hundredth, 0 where it was not measured
 */
record Sample(
    long decisions, long passed, long failures, long nanos, double p50Micros, double p99Micros) {
  double perSecond() {
    return decisions * 1e9 / nanos;
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%d %d %d %d %.1f %.1f",
        decisions,
        passed,
        failures,
        nanos,
        p50Micros,
        p99Micros);
  }

  static Sample parse(String line) {
    List<String> words = List.of(line.split(" "));
    return new Sample(
        Long.parseLong(words.get(0)),
        Long.parseLong(words.get(1)),
        Long.parseLong(words.get(2)),
        Long.parseLong(words.get(3)),
        Double.parseDouble(words.get(4)),
        Double.parseDouble(words.get(5)));
  }
}
