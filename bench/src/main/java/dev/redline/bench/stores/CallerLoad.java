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

/**
 * Threads that call and wait for each decision, on contenders in turn. The first contender is the
 * floor of the ratios.
 *
 * @param rounds how often every contender is measured in every cell
 * @param warmUp the warm-up time of a contender in a cell
 * @param measure the time of each measurement
 */
record CallerLoad(int rounds, Duration warmUp, Duration measure) {
  /** Reads {@code --quick} and {@code --rounds N}. */
  static CallerLoad parse(String bench, List<String> arguments) {
    boolean quick = arguments.contains("--quick");
    int rounds = quick ? 1 : 5;
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

  /** Measures cells and adds a row to the table for each; returns how many bars are missed. */
  int run(
      List<LoadCell> cells,
      List<StoreContender> contenders,
      List<Bar> bars,
      PrintStream out,
      PrintStream err)
      throws InterruptedException {
    List<String> header = new ArrayList<>(List.of("decisions/s"));
    contenders.forEach(contender -> header.add(contender.name()));
    header.add("spread");
    bars.forEach(bar -> header.add(bar.contender() + " / " + bar.against()));
    header.add("verdict");
    Table table = new Table(header);
    int missed = 0;
    for (LoadCell cell : cells) {
      err.println(cell.name() + " …");
      List<List<Double>> rates = measure(cell, contenders);
      List<String> row = new ArrayList<>(List.of(cell.name()));
      double spread = 0;
      for (List<Double> ofOne : rates) {
        row.add(String.format(Locale.ROOT, "%.0f", Medians.of(ofOne)));
        spread = Math.max(spread, Medians.spread(ofOne));
      }
      row.add(String.format(Locale.ROOT, "%.0f %%", spread * 100));
      boolean met = true;
      for (Bar bar : bars) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
          ratios.add(
              rates.get(index(contenders, bar.contender())).get(round)
                  / rates.get(index(contenders, bar.against())).get(round));
        }
        double ratio = Medians.of(ratios);
        met &= ratio >= bar.least();
        row.add(String.format(Locale.ROOT, "%.2f", ratio));
      }
      row.add(met ? "WIN" : "LOSS");
      missed += met ? 0 : 1;
      table.add(row);
    }
    table.print(out);
    return missed;
  }

  private static int index(List<StoreContender> contenders, String name) {
    for (int i = 0; i < contenders.size(); i++) {
      if (contenders.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("there is no contender " + name);
  }

  private List<List<Double>> measure(LoadCell cell, List<StoreContender> contenders)
      throws InterruptedException {
    List<List<Double>> rates = new ArrayList<>();
    for (StoreContender contender : contenders) {
      rate(cell, contender, warmUp);
      rates.add(new ArrayList<>());
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        rates.get(i).add(rate(cell, contenders.get(i), measure));
      }
    }
    return rates;
  }

  private static double rate(LoadCell cell, StoreContender contender, Duration time)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(cell.callers());
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
      return decisions / (time.toNanos() / 1e9);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a caller failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
