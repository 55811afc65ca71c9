package dev.redline.bench.local;

import dev.redline.bench.local.Measurement.Cell;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;

/** The program of the JVMs that {@link LocalBench} starts: measures one contender. */
public final class LocalProbe {
  /** The command that runs a probe. */
  public static final String COMMAND = "local-probe";

  private static final int[] THREADS = {1, 2};
  private static final int COLLECTIONS = 4;
  private static final int MOST_SLICES = 20;
  private static final long SETTLED_MILLIS = 2;

  /** Enough decisions for all code to be compiled by the optimizing compiler. */
  private static final long WARM_DECISIONS = 100_000;

  private LocalProbe() {}

  /** Runs the probe that the arguments describe. */
  public static void run(List<String> arguments, PrintStream out) throws InterruptedException {
    String what = arguments.get(0);
    int number = Integer.parseInt(arguments.get(1));
    switch (what) {
      case "check" -> check(number, Integer.parseInt(arguments.get(2)), times(arguments, 3), out);
      case "heap" -> heap(LocalContender.valueOf(arguments.get(2)), number, out);
      default -> decisions(LocalContender.valueOf(what), number, times(arguments, 2), out);
    }
  }

  /** The lengths of a warm-up slice and a measurement, and which time is counted. */
  private record Times(Duration warmUp, Duration measure, boolean cpuTime) {}

  private static Times times(List<String> arguments, int at) {
    return new Times(
        Duration.ofMillis(Long.parseLong(arguments.get(at))),
        Duration.ofMillis(Long.parseLong(arguments.get(at + 1))),
        Boolean.parseBoolean(arguments.get(at + 2)));
  }

  private static void decisions(LocalContender contender, int size, Times times, PrintStream out)
      throws InterruptedException {
    Keys keys = new Keys(size);
    for (Mix mix : Mix.values()) {
      try (KeyPopulation population = contender.populate(keys, mix)) {
        measure(population, contender.name(), size, mix, times, out);
      }
    }
  }

  private static void check(int rules, int requests, Times times, PrintStream out)
      throws InterruptedException {
    try (KeyPopulation population = new CheckPopulation(rules, requests, Mix.ALLOW)) {
      measure(population, "check-" + rules, requests, Mix.ALLOW, times, out);
    }
  }

  private static void measure(
      KeyPopulation population, String subject, int size, Mix mix, Times times, PrintStream out)
      throws InterruptedException {
    population.caller();
    System.gc();
    warmUp(population, size, times.warmUp());
    for (int threads : THREADS) {
      Load.Sample sample = Load.run(population, size, threads, times.measure());
      Cell cell = new Cell(subject, size, threads, mix);
      out.println(Measurement.of(cell, sample, times.cpuTime()).line());
    }
  }

  /** Runs until compilation ends, which takes longer on a busy machine. */
  private static void warmUp(KeyPopulation population, int size, Duration slice)
      throws InterruptedException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long before;
    int slices = 0;
    do {
      before = compiler.getTotalCompilationTime();
      for (int threads : THREADS) {
        Load.run(population, size, threads, slice, WARM_DECISIONS);
      }
    } while (compiler.getTotalCompilationTime() - before > SETTLED_MILLIS
        && ++slices < MOST_SLICES);
  }

  /** Measures the heap per key, without the key's name. */
  private static void heap(LocalContender contender, int size, PrintStream out) {
    Keys keys = new Keys(size);
    long before = usedHeap();
    try (KeyPopulation population = contender.populate(keys, Mix.DENY)) {
      double perKey = (double) (usedHeap() - before) / size;
      boolean stillLimits = !population.caller().acquire(0);
      out.println(
          new Measurement(
                  new Cell("heap-" + contender.name(), size, 1, Mix.DENY),
                  0,
                  perKey,
                  stillLimits ? 0 : 1)
              .line());
    }
  }

  private static long usedHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
