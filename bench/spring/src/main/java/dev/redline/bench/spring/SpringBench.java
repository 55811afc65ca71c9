package dev.redline.bench.spring;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures what a limit costs a Spring application: an annotated method that does nothing, beside
 * the starters of Resilience4j and Bucket4j; and the filter on an allowed request, beside a trivial
 * endpoint. Methods are measured in turns, each in a JVM of its own; requests with and without the
 * filter alternate within one JVM, a new one for each round.
 */
public final class SpringBench {
  private static final String USAGE =
      """
      usage: redline bench spring [--quick] [--rounds N]

        An annotated method that does nothing: Redline, Resilience4j and the Bucket4j starter; and
        the processor time of the filter on an allowed request, beside a trivial endpoint.
      """;

  private SpringBench() {}

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    List<String> words = List.of(args);
    if (words.contains("-h") || words.contains("--help")) {
      System.out.print(USAGE);
    } else if (!words.isEmpty() && words.get(0).equals(MethodProbe.COMMAND)) {
      MethodProbe.run(
          MethodContender.valueOf(words.get(1)), Long.parseLong(words.get(2)), System.out);
    } else if (!words.isEmpty() && words.get(0).equals(ServerProbe.COMMAND)) {
      ServerProbe.run();
    } else {
      RoundPlan plan;
      try {
        plan = RoundPlan.parse(words);
      } catch (IllegalArgumentException e) {
        System.err.println("redline: " + e.getMessage());
        System.err.print(USAGE);
        System.exit(2);
        return;
      }
      methods(plan, System.out, System.err);
      filter(plan, System.out, System.err);
    }
  }

  /** How much is measured. */
  record RoundPlan(int rounds, long millis, int requests) {
    static RoundPlan parse(List<String> words) {
      int rounds = 7;
      boolean quick = false;
      for (int i = 0; i < words.size(); i++) {
        switch (words.get(i)) {
          case "--quick" -> quick = true;
          case "--rounds" -> {
            i++;
            rounds = i < words.size() ? positive(words.get(i)) : positive("");
          }
          default -> throw new IllegalArgumentException("unknown option " + words.get(i));
        }
      }
      return quick
          ? new RoundPlan(Math.min(rounds, 1), 300, 2_000)
          : new RoundPlan(rounds, 800, 20_000);
    }

    private static int positive(String text) {
      if (!text.matches("[1-9][0-9]{0,2}")) {
        throw new IllegalArgumentException(
            "--rounds needs a number of 1 to 999, was '" + text + "'");
      }
      return Integer.parseInt(text);
    }
  }

  private static void methods(RoundPlan plan, PrintStream out, PrintStream err) throws Exception {
    Map<MethodContender, List<MethodProbe.Cost>> costs = new EnumMap<>(MethodContender.class);
    for (int round = 1; round <= plan.rounds; round++) {
      for (MethodContender contender : MethodContender.values()) {
        err.printf("method, round %d of %d: %s …%n", round, plan.rounds, contender.title());
        String line =
            ChildProcesses.lastLine(
                MethodProbe.COMMAND, contender.name(), Long.toString(plan.millis));
        costs
            .computeIfAbsent(contender, key -> new ArrayList<>())
            .add(MethodProbe.Cost.parse(line));
      }
    }
    double redline = median(nanos(costs, MethodContender.REDLINE));
    double keyed = median(nanos(costs, MethodContender.REDLINE_KEYED));
    out.printf(
        "%nA method that does nothing, one thread, OpenJDK %s; medians of %d round(s)%n%n",
        System.getProperty("java.version"), plan.rounds);
    out.println("| limit | ns per call | spread | bytes per call | ratio of Redline's time |");
    out.println("|:---|---:|---:|---:|---:|");
    for (MethodContender contender : MethodContender.values()) {
      List<Double> nanos = nanos(costs, contender);
      boolean ofKeys = contender.name().endsWith("_KEYED");
      out.printf(
          Locale.ROOT,
          "| %s | %.0f | %.0f %% | %.0f | %.2f |%n",
          contender.title(),
          median(nanos),
          100 * spread(nanos),
          median(
              costs.getOrDefault(contender, List.of()).stream()
                  .map(MethodProbe.Cost::bytes)
                  .toList()),
          (ofKeys ? keyed : redline) / median(nanos));
    }
    boolean met =
        redline <= median(nanos(costs, MethodContender.RESILIENCE4J))
            && redline <= median(nanos(costs, MethodContender.BUCKET4J))
            && keyed <= median(nanos(costs, MethodContender.BUCKET4J_KEYED));
    out.println(
        "\nBar: at most 1.00 of the time of Resilience4j and of the Bucket4j starter: "
            + (met ? "met." : "missed."));
  }

  private static List<Double> nanos(
      Map<MethodContender, List<MethodProbe.Cost>> costs, MethodContender contender) {
    return costs.getOrDefault(contender, List.of()).stream().map(MethodProbe.Cost::nanos).toList();
  }

  private static void filter(RoundPlan plan, PrintStream out, PrintStream err) throws Exception {
    List<FilterLoad.Cost> costs = new ArrayList<>();
    for (int round = 1; round <= plan.rounds; round++) {
      err.printf("filter, round %d of %d …%n", round, plan.rounds);
      costs.add(FilterLoad.measure(plan.requests));
    }
    List<Double> without = costs.stream().map(FilterLoad.Cost::without).toList();
    List<Double> with = costs.stream().map(FilterLoad.Cost::with).toList();
    List<Double> ratios = costs.stream().map(FilterLoad.Cost::ratio).toList();
    out.printf("%nA request to a trivial endpoint of Spring MVC, processor time of the server%n%n");
    out.println("| filter | µs per request | spread |");
    out.println("|:---|---:|---:|");
    out.printf(Locale.ROOT, "| none | %.1f | %.0f %% |%n", median(without), 100 * spread(without));
    out.printf(Locale.ROOT, "| Redline | %.1f | %.0f %% |%n", median(with), 100 * spread(with));
    double ratio = median(ratios);
    out.printf(
        Locale.ROOT,
        "%nRatio %.3f, spread of the ratios of the rounds %.1f %%."
            + " Bar: at most 1.05, or within the spread: %s.%n",
        ratio,
        100 * spread(ratios),
        ratio <= 1.05 ? "met" : ratio - 1 <= spread(ratios) ? "met within the spread" : "missed");
  }

  /** Returns the middle value; of an even number, the mean of the two in the middle. */
  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** Returns the range of the values, relative to their median. */
  static double spread(List<Double> values) {
    double least = values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    double most = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    return (most - least) / median(values);
  }
}
