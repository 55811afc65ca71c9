package dev.redline.bench.scale;

import dev.redline.bench.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Prints what simulations found: a table of Redis, and one of callers. */
final class ScaleReport {
  private static final double TOO_BUSY = 0.9;

  private final Table redis =
      new Table(
          List.of(
              "scenario",
              "decisions/s",
              "masters",
              "mean load",
              "busiest",
              "calls/s",
              "decisions/call",
              "Redis µs/decision",
              "node µs/decision",
              "node load"));
  private final Table callers =
      new Table(
          List.of(
              "scenario",
              "by lease",
              "by deny cache",
              "by call",
              "undecided",
              "p50 ms",
              "p99 ms",
              "p99.9 ms",
              "tokens held",
              "most",
              "lost",
              "denied",
              "early",
              "over-admissions"));
  private final StringBuilder notes = new StringBuilder();
  private long over;

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  void add(String name, ScaleScenario scenario, ScaleResult result) {
    redis.add(
        List.of(
            name,
            text("%.0f", result.decisions() / result.seconds()),
            text("%d", scenario.masters()),
            text("%.0f %%", 100 * result.meanLoad()),
            text("%.0f %%", 100 * result.highestLoad()),
            text("%.0f", result.calls() / result.seconds()),
            text("%.1f", (double) result.byCalls() / Math.max(1, result.calls())),
            text("%.2f", result.redisMicros()),
            text("%.2f", result.nodeMicros()),
            text("%.0f %%", 100 * result.nodeLoad())));
    callers.add(
        List.of(
            name,
            text("%.1f %%", result.percent(result.spent())),
            text("%.1f %%", result.percent(result.recalled())),
            text("%.1f %%", result.percent(result.byCalls())),
            text("%.2f %%", result.percent(result.undecided())),
            text("%.2f", result.latencyMillis(50)),
            text("%.2f", result.latencyMillis(99)),
            text("%.2f", result.latencyMillis(99.9)),
            text("%.0f", result.meanHeld()),
            text("%d", result.mostHeld()),
            text("%d", result.lost()),
            text("%d", result.denied()),
            text("%d", result.early()),
            text("%d", result.over())));
    over += result.over();
    if (result.highestLoad() > TOO_BUSY && result.meanLoad() < TOO_BUSY) {
      notes.append(
          text(
              "%s: one master is busy %.0f %% of the time, while all are busy %.0f %% on average:"
                  + " its busiest bucket, or its slowness, is the bound, and more masters do not"
                  + " help.%n",
              name, 100 * result.highestLoad(), 100 * result.meanLoad()));
    }
  }

  /** Returns how many requests were allowed without a token, in all simulations. */
  long overAdmissions() {
    return over;
  }

  void print(PrintStream out) {
    out.println("Redis");
    redis.print(out);
    out.println();
    out.println("Callers");
    callers.print(out);
    out.println();
    out.print(notes);
    out.println(
        over == 0
            ? "No bucket allowed more than its limit."
            : over + " requests were allowed above their limit: FAILURE");
  }
}
