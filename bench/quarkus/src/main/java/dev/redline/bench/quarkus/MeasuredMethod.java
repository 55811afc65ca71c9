package dev.redline.bench.quarkus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A method that does nothing, in an application of Quarkus or Spring.
 *
 * @param title what readers see
 * @param program the jar whose probe measures it
 * @param limit its limit
 */
record MeasuredMethod(String title, Path program, MeasuredMethod.Limit limit) {
  /** The limit of a method; both probes know these names. */
  enum Limit {
    UNLIMITED,
    REDLINE,
    REDLINE_KEYED
  }

  /**
   * What a call costs.
   *
   * @param nanos processor time
   * @param bytes heap that is allocated
   */
  record Cost(double nanos, double bytes) {
    /** Reads what a probe printed. */
    static Cost parse(String line) {
      String[] words = line.split(" ", -1);
      return new Cost(Double.parseDouble(words[2]), Double.parseDouble(words[1]));
    }
  }

  /** Returns all methods; those of Spring come from the jar of bench spring. */
  static List<MeasuredMethod> all(Path quarkus, Path spring) {
    return List.of(
        new MeasuredMethod("Quarkus, no limit", quarkus, Limit.UNLIMITED),
        new MeasuredMethod("Quarkus, Redline", quarkus, Limit.REDLINE),
        new MeasuredMethod("Spring, Redline", spring, Limit.REDLINE),
        new MeasuredMethod("Quarkus, Redline, key #user", quarkus, Limit.REDLINE_KEYED),
        new MeasuredMethod("Spring, Redline, key #user", spring, Limit.REDLINE_KEYED));
  }

  /** Measures it in a new JVM. */
  Cost measure(long millis) throws IOException, InterruptedException {
    return Cost.parse(
        JavaProgram.lastLine(program, BeanProbe.COMMAND, limit.name(), Long.toString(millis)));
  }
}
