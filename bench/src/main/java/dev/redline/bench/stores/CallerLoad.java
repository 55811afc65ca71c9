package dev.redline.bench.stores;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Threads that call and wait for each decision, on contenders in turn. The first contender is the
 * floor of the ratios. The processor time is that of this process and of those it started.
 *
 * @param rounds how often every contender is measured in every cell
 * @param warmUp the warm-up time of a contender in a cell
 * @param measure the time of each measurement
 */
record CallerLoad(int rounds, Duration warmUp, Duration measure) {
  /** Reads {@code --quick} and {@code --rounds N}. */
  static CallerLoad parse(String bench, List<String> arguments) {
    boolean quick = arguments.contains("--quick");
    int rounds = quick ? 1 : 7;
    Iterator<String> words = arguments.iterator();
    while (words.hasNext()) {
      String word = words.next();
      if (word.equals("--rounds") && words.hasNext()) {
        String text = words.next();
        if (!text.matches("[1-9][0-9]?")) {
          throw new BenchUsageException("--rounds must be 1 to 99, was " + text);
        }
        rounds = Integer.parseInt(text);
      } else if (!word.equals("--quick")) {
        throw new BenchUsageException("bench " + bench + " does not know " + word);
      }
    }
    return new CallerLoad(
        rounds, Duration.ofMillis(quick ? 1000 : 4000), Duration.ofMillis(quick ? 600 : 1500));
  }

  /** A number of callers, and how many keys they choose from. */
  record LoadCell(String name, int callers, int keys) {}

  /** What a ratio must be. */
  record Bar(String contender, String against, double least) {}

  /** What was measured in one round. */
  private record Measured(double perSecond, double cpuMicros) {}

  /** Measures cells and adds a row to both tables for each; returns how many bars are missed. */
  int run(
      List<LoadCell> cells,
      List<StoreContender> contenders,
      List<Bar> bars,
      PrintStream out,
      PrintStream err)
      throws InterruptedException {
    List<String> headings = new ArrayList<>();
    contenders.forEach(contender -> headings.add(contender.name()));
    headings.add("spread");
    bars.forEach(bar -> headings.add(bar.contender() + " / " + bar.against()));
    Table rates = new Table(row("decisions/s", headings, List.of("verdict")));
    Table times = new Table(row("processor time, µs per decision", headings, List.of()));
    int missed = 0;
    for (LoadCell cell : cells) {
      err.println(cell.name() + " …");
      List<List<Measured>> measured = measure(cell, contenders);
      List<List<Double>> perSecond = each(measured, Measured::perSecond);
      List<List<Double>> cpuMicros = each(measured, Measured::cpuMicros);
      boolean met = true;
      for (Bar bar : bars) {
        met &= ratio(bar, contenders, perSecond) >= bar.least();
      }
      missed += met ? 0 : 1;
      rates.add(
          row(
              cell.name(),
              figures("%.0f", contenders, perSecond, bars),
              List.of(met ? "WIN" : "LOSS")));
      times.add(row(cell.name(), figures("%.1f", contenders, cpuMicros, bars), List.of()));
    }
    rates.print(out);
    out.println();
    times.print(out);
    return missed;
  }

  private static List<String> row(String first, List<String> middle, List<String> last) {
    List<String> row = new ArrayList<>(List.of(first));
    row.addAll(middle);
    row.addAll(last);
    return row;
  }

  private static List<List<Double>> each(
      List<List<Measured>> measured, ToDoubleFunction<Measured> figure) {
    return measured.stream()
        .map(ofOne -> ofOne.stream().mapToDouble(figure).boxed().toList())
        .toList();
  }

  /** Returns the medians of the contenders, their spread, and the ratios that have bars. */
  private static List<String> figures(
      String format, List<StoreContender> contenders, List<List<Double>> rounds, List<Bar> bars) {
    List<String> figures = new ArrayList<>();
    double spread = 0;
    for (List<Double> ofOne : rounds) {
      figures.add(String.format(Locale.ROOT, format, Medians.of(ofOne)));
      spread = Math.max(spread, Medians.spread(ofOne));
    }
    figures.add(String.format(Locale.ROOT, "%.0f %%", spread * 100));
    for (Bar bar : bars) {
      figures.add(String.format(Locale.ROOT, "%.2f", ratio(bar, contenders, rounds)));
    }
    return figures;
  }

  private static double ratio(Bar bar, List<StoreContender> contenders, List<List<Double>> rounds) {
    List<Double> of = rounds.get(index(contenders, bar.contender()));
    List<Double> against = rounds.get(index(contenders, bar.against()));
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < of.size(); round++) {
      ratios.add(of.get(round) / against.get(round));
    }
    return Medians.of(ratios);
  }

  private static int index(List<StoreContender> contenders, String name) {
    for (int i = 0; i < contenders.size(); i++) {
      if (contenders.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("there is no contender " + name);
  }

  private List<List<Measured>> measure(LoadCell cell, List<StoreContender> contenders)
      throws InterruptedException {
    List<List<Measured>> measured = new ArrayList<>();
    for (StoreContender contender : contenders) {
      measure(cell, contender, warmUp);
      measured.add(new ArrayList<>());
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        measured.get(i).add(measure(cell, contenders.get(i), measure));
      }
    }
    return measured;
  }

  private static Measured measure(LoadCell cell, StoreContender contender, Duration time)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(cell.callers());
    long cpuBefore = cpuNanos();
    try {
      CyclicBarrier start = new CyclicBarrier(cell.callers());
      List<Future<Long>> futures = new ArrayList<>();
      for (int t = 0; t < cell.callers(); t++) {
        SplittableRandom random = new SplittableRandom(t);
        futures.add(
            pool.submit(
                () -> {
                  start.await();
                  long end = System.nanoTime() + time.toNanos();
                  long decisions = 0;
                  while (System.nanoTime() < end) {
                    if (!contender.acquire().test(random.nextInt(cell.keys()))) {
                      throw new IllegalStateException(contender.name() + " denied");
                    }
                    decisions++;
                  }
                  return decisions;
                }));
      }
      long decisions = 0;
      for (Future<Long> future : futures) {
        decisions += future.get();
      }
      return new Measured(
          decisions / (time.toNanos() / 1e9), (cpuNanos() - cpuBefore) / 1e3 / decisions);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a caller failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static long cpuNanos() {
    return Stream.concat(Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants())
        .mapToLong(process -> process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
        .sum();
  }
}
