package dev.redline.bench.faults;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.Table;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Runs every drill once and prints its effects on callers. */
public final class FaultsBench {
  private static final Duration OUTAGE = Duration.ofSeconds(5);

  private FaultsBench() {}

  /**
   * Runs the drills; progress goes to {@code progress}, the table to {@code out}.
   *
   * @param names which faults, by the names of {@link Fault}; none: all of them
   */
  public static void run(List<String> names, PrintStream out, PrintStream progress) {
    List<Fault> faults = faults(names);
    Table table =
        new Table(
            List.of(
                "fault",
                "decisions",
                "degraded",
                "wrong",
                "slowest",
                "p99 until open",
                "p99 while open",
                "to open",
                "to recover"));
    int n = 0;
    for (Fault fault : faults) {
      progress.printf("[%d/%d] %s%n", ++n, faults.size(), fault.text());
      DrillReport report = new Drill(fault, OUTAGE).run();
      table.add(
          List.of(
              fault.text(),
              Integer.toString(report.decisions()),
              Integer.toString(report.degraded()),
              Integer.toString(report.wrong().size() + (report.escaped().isPresent() ? 1 : 0)),
              millis(report.slowest()),
              millis(report.p99BeforeOpen()),
              report.toOpen().isPresent() ? millis(report.p99AfterOpen()) : "–",
              millis(report.toOpen()),
              millis(report.toRecover())));
    }
    out.printf(
        "64 callers, 2,000 decisions/s in all, command time-out %d ms, each fault for %d s%n%n",
        Drill.timeout().toMillis(), OUTAGE.toSeconds());
    table.print(out);
    out.println(
        "Aims: p99 until open below the time-out + 20 ms, while open below 1 ms; open 250 ms after"
            + " the first failed decision; recovered 2 s after the fault. The history checker has"
            + " checked every outcome of Redis.");
  }

  private static List<Fault> faults(List<String> names) {
    try {
      return names.isEmpty()
          ? List.of(Fault.values())
          : names.stream().map(name -> Fault.valueOf(name.toUpperCase(Locale.ROOT))).toList();
    } catch (IllegalArgumentException e) {
      throw new BenchUsageException("faults are " + Arrays.toString(Fault.values()));
    }
  }

  private static String millis(Optional<Duration> duration) {
    return duration.map(FaultsBench::millis).orElse("–");
  }

  private static String millis(Duration duration) {
    return String.format("%.1f ms", duration.toNanos() / 1e6);
  }
}
