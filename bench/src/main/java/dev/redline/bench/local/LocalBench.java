package dev.redline.bench.local;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.ChildJvm;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * Measures decisions in one process. Every contender runs in its own new JVMs. A round measures all
 * contenders, so that disturbances of the machine affect all of them.
 */
public final class LocalBench {
  static final int FEW_KEYS = 10_000;
  static final int MANY_KEYS = 1_000_000;
  static final int FEW_RULES = 10;
  static final int MANY_RULES = 10_000;

  /**
   * The heap is touched beforehand, so that no allocation pays for a page. Compilation runs in the
   * foreground, so that the code is compiled when warm-up ends, also on a busy machine.
   */
  private static final List<String> JVM_OPTIONS =
      List.of("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch", "-XX:+UseG1GC", "-Xbatch");

  private static final double PURE = 0.99;

  /**
   * How much to measure.
   *
   * @param rounds how often every contender is measured
   * @param warmUp the length of one warm-up slice; slices repeat until compilation ends
   * @param measure the time of each measurement
   * @param cpuTime whether to count the threads' processor time, which a busy machine disturbs
   *     less, instead of the time that passes
   */
  public record Plan(int rounds, Duration warmUp, Duration measure, boolean cpuTime) {
    private static final Plan FULL =
        new Plan(3, Duration.ofMillis(150), Duration.ofMillis(500), false);
    private static final Plan QUICK =
        new Plan(1, Duration.ofMillis(80), Duration.ofMillis(150), false);

    /** Reads {@code --quick}, {@code --cpu-time} and {@code --rounds N}. */
    public static Plan parse(List<String> arguments) {
      Plan plan = arguments.contains("--quick") ? QUICK : FULL;
      Iterator<String> words = arguments.iterator();
      while (words.hasNext()) {
        String word = words.next();
        if (word.equals("--rounds") && words.hasNext()) {
          plan = plan.withRounds(words.next());
        } else if (word.equals("--cpu-time")) {
          plan = new Plan(plan.rounds, plan.warmUp, plan.measure, true);
        } else if (!word.equals("--quick")) {
          throw new BenchUsageException("bench local does not know " + word);
        }
      }
      return plan;
    }

    private Plan withRounds(String text) {
      if (!text.matches("[1-9][0-9]?")) {
        throw new BenchUsageException("--rounds must be 1 to 99, was " + text);
      }
      return new Plan(Integer.parseInt(text), warmUp, measure, cpuTime);
    }
  }

  private final Plan plan;

  /** Creates the benchmark. */
  public LocalBench(Plan plan) {
    this.plan = plan;
  }

  /** Measures everything, then prints the tables. */
  public void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    LocalReport report = new LocalReport(plan);
    long start = System.nanoTime();
    List<List<String>> probes = probes();
    for (int i = 0; i < probes.size(); i++) {
      List<String> probe = probes.get(i);
      progress.printf(Locale.ROOT, "[%d/%d] %s%n", i + 1, probes.size(), String.join(" ", probe));
      for (String line : ChildJvm.run(JVM_OPTIONS, probe)) {
        Measurement measurement = Measurement.parse(line);
        check(measurement);
        report.add(measurement);
      }
    }
    progress.printf(Locale.ROOT, "took %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    report.print(out);
  }

  private List<List<String>> probes() {
    List<List<String>> probes = new ArrayList<>();
    for (int round = 0; round < plan.rounds; round++) {
      List<LocalContender> order = new ArrayList<>(List.of(LocalContender.values()));
      Collections.rotate(order, round * 2);
      for (int keys : new int[] {FEW_KEYS, MANY_KEYS}) {
        for (LocalContender contender : order) {
          probes.add(timed(contender.name(), Integer.toString(keys)));
        }
      }
      for (int rules : new int[] {FEW_RULES, MANY_RULES}) {
        probes.add(timed("check", Integer.toString(rules), Integer.toString(FEW_KEYS)));
      }
    }
    for (LocalContender contender : LocalContender.deciding()) {
      probes.add(
          List.of(LocalProbe.COMMAND, "heap", Integer.toString(MANY_KEYS), contender.name()));
    }
    return probes;
  }

  private List<String> timed(String... words) {
    List<String> probe = new ArrayList<>();
    probe.add(LocalProbe.COMMAND);
    probe.addAll(List.of(words));
    probe.add(Long.toString(plan.warmUp.toMillis()));
    probe.add(Long.toString(plan.measure.toMillis()));
    probe.add(Boolean.toString(plan.cpuTime));
    return probe;
  }

  /** Checks that a contender really limits; the speed of one that does not is meaningless. */
  private static void check(Measurement measurement) {
    double pure =
        measurement.cell().mix() == Mix.ALLOW
            ? measurement.passedShare()
            : 1 - measurement.passedShare();
    if (pure < PURE) {
      throw new IllegalStateException("does not limit as configured: " + measurement);
    }
  }
}
