package dev.redline.bench.local;

import java.util.List;
import java.util.Locale;

/**
 * One result of a measuring JVM, and its text form for the reporting JVM.
 *
 * @param cell what was measured
 * @param nanos time per decision and thread; 0 where heap was measured
 * @param bytes allocated per decision, or heap per key
 * @param passedShare the share of decisions that were allowed
 */
record Measurement(Cell cell, double nanos, double bytes, double passedShare) {
  /**
   * Names a measurement.
   *
   * @param subject a contender, or another subject such as {@code check-10}
   * @param keys the number of keys
   * @param threads the number of threads
   * @param mix whether the limits allow or deny
   */
  record Cell(String subject, int keys, int threads, Mix mix) {
    Cell of(LocalContender other) {
      return new Cell(other.name(), keys, threads, mix);
    }
  }

  static Measurement of(Cell cell, Load.Sample sample, boolean cpuTime) {
    return new Measurement(
        cell,
        cpuTime ? sample.cpuNanosPerDecision() : sample.nanosPerDecision(),
        sample.bytesPerDecision(),
        sample.passedShare());
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%s %d %d %s %.3f %.4f %.6f",
        cell.subject,
        cell.keys,
        cell.threads,
        cell.mix.name(),
        nanos,
        bytes,
        passedShare);
  }

  static Measurement parse(String line) {
    List<String> words = List.of(line.split(" "));
    return new Measurement(
        new Cell(
            words.get(0),
            Integer.parseInt(words.get(1)),
            Integer.parseInt(words.get(2)),
            Mix.valueOf(words.get(3))),
        Double.parseDouble(words.get(4)),
        Double.parseDouble(words.get(5)),
        Double.parseDouble(words.get(6)));
  }
}
