package dev.redline.bench.quarkus;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures what Redline costs a Quarkus application: an annotated method that does nothing, beside
 * the same one in Spring; and the start of the packaged sample, beside the same application without
 * Redline. Rounds alternate, each measurement in a JVM of its own.
 */
@QuarkusMain
public final class QuarkusBench {
  private static final String USAGE =
      """
      usage: redline bench quarkus [--quick] [--rounds N]

        An annotated method that does nothing, in Quarkus and in Spring; and the start of the
        packaged Quarkus sample, beside the same application without Redline.
      """;
  private static final double METHOD_BAR = 2;
  private static final double START_BAR = 1.2;

  private QuarkusBench() {}

  /** Runs the benchmark; the launcher says where the checkout is. */
  public static void main(String... args) throws Exception {
    List<String> words = List.of(args);
    if (words.contains("-h") || words.contains("--help")) {
      System.out.print(USAGE);
    } else if (!words.isEmpty() && words.get(0).equals(BeanProbe.COMMAND)) {
      Quarkus.run(BeanProbe.class, args);
    } else {
      MeasuredRounds plan;
      try {
        plan = MeasuredRounds.parse(words);
      } catch (IllegalArgumentException e) {
        System.err.println("redline: " + e.getMessage());
        System.err.print(USAGE);
        System.exit(2);
        return;
      }
      Path checkout = Path.of(System.getProperty("redline.checkout", ""));
      methods(plan, checkout, System.out, System.err);
      starts(plan, checkout, System.out, System.err);
    }
  }

  /** How much is measured. */
  record MeasuredRounds(int rounds, long millis) {
    static MeasuredRounds parse(List<String> words) {
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
      return quick ? new MeasuredRounds(1, 300) : new MeasuredRounds(rounds, 800);
    }

    private static int positive(String text) {
      if (!text.matches("[1-9][0-9]{0,2}")) {
        throw new IllegalArgumentException(
            "--rounds needs a number of 1 to 999, was '" + text + "'");
      }
      return Integer.parseInt(text);
    }
  }

  private static Path built(Path checkout, String jar) throws IOException {
    Path path = checkout.resolve(jar);
    if (!Files.isRegularFile(path)) {
      throw new IOException("there is no " + path + "; run ./redline bench quarkus");
    }
    return path;
  }

  private static void methods(MeasuredRounds plan, Path checkout, PrintStream out, PrintStream err)
      throws IOException, InterruptedException {
    List<MeasuredMethod> methods =
        MeasuredMethod.all(
            built(checkout, "bench/quarkus/target/quarkus-app/quarkus-run.jar"),
            built(checkout, "bench/spring/target/redline-bench-spring.jar"));
    Map<MeasuredMethod, List<MeasuredMethod.Cost>> costs = new LinkedHashMap<>();
    for (int round = 1; round <= plan.rounds; round++) {
      for (MeasuredMethod method : methods) {
        err.printf("method, round %d of %d: %s …%n", round, plan.rounds, method.title());
        costs.computeIfAbsent(method, absent -> new ArrayList<>()).add(method.measure(plan.millis));
      }
    }
    out.printf(
        "%nA method that does nothing, one thread, OpenJDK %s; medians of %d round(s)%n%n",
        System.getProperty("java.version"), plan.rounds);
    out.println("| limit | processor time, ns per call | spread | bytes per call |");
    out.println("|:---|---:|---:|---:|");
    List<Double> medians = new ArrayList<>();
    costs.forEach(
        (method, rounds) -> {
          List<Double> nanos = values(rounds, MeasuredMethod.Cost::nanos);
          medians.add(median(nanos));
          out.printf(
              Locale.ROOT,
              "| %s | %.0f | %.0f %% | %.0f |%n",
              method.title(),
              median(nanos),
              100 * spread(nanos),
              median(values(rounds, MeasuredMethod.Cost::bytes)));
        });
    double ofAll = medians.get(1) / medians.get(2);
    double ofEach = medians.get(3) / medians.get(4);
    out.printf(
        Locale.ROOT,
        "%nQuarkus / Spring: %.2f, with a key %.2f. Bar: at most %.2f: %s.%n",
        ofAll,
        ofEach,
        METHOD_BAR,
        Math.max(ofAll, ofEach) <= METHOD_BAR ? "met" : "missed");
  }

  private static void starts(MeasuredRounds plan, Path checkout, PrintStream out, PrintStream err)
      throws IOException, InterruptedException {
    Path plain = built(checkout, "bench/quarkus-plain/target/quarkus-app/quarkus-run.jar");
    Path sample = built(checkout, "samples/quarkus/target/quarkus-app/quarkus-run.jar");
    err.println("start, one of each that does not count …");
    ApplicationStart.measure(plain, false);
    ApplicationStart.measure(sample, true);
    List<ApplicationStart> without = new ArrayList<>();
    List<ApplicationStart> with = new ArrayList<>();
    for (int round = 1; round <= plan.rounds; round++) {
      err.printf("start, round %d of %d …%n", round, plan.rounds);
      // Which one comes first alternates, so that what slows the machine down hits both alike.
      boolean limitedFirst = round % 2 == 0;
      for (boolean limited : new boolean[] {limitedFirst, !limitedFirst}) {
        (limited ? with : without).add(ApplicationStart.measure(limited ? sample : plain, limited));
      }
    }
    out.printf("%nStart of the packaged sample; medians of %d start(s) each%n%n", plan.rounds);
    out.println("| application | first response, ms | spread | by Quarkus, ms | processor, ms |");
    out.println("|:---|---:|---:|---:|---:|");
    row(out, "without Redline", without);
    row(out, "with Redline", with);
    double ratio =
        median(values(with, ApplicationStart::firstResponse))
            / median(values(without, ApplicationStart::firstResponse));
    out.printf(
        Locale.ROOT,
        "%nRatio of the times to the first response %.2f. Bar: at most %.2f: %s.%n",
        ratio,
        START_BAR,
        ratio <= START_BAR ? "met" : "missed");
  }

  private static void row(PrintStream out, String title, List<ApplicationStart> starts) {
    List<Double> first = values(starts, ApplicationStart::firstResponse);
    out.printf(
        Locale.ROOT,
        "| %s | %.0f | %.0f %% | %.0f | %.0f |%n",
        title,
        median(first),
        100 * spread(first),
        median(values(starts, ApplicationStart::byQuarkus)),
        median(values(starts, ApplicationStart::processor)));
  }

  private static <T> List<Double> values(List<T> rounds, ToDoubleFunction<T> value) {
    return rounds.stream().map(value::applyAsDouble).toList();
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
