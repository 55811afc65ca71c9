package dev.redline.bench.redis;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.ProcessorTimes;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures decisions on one Redis and on one cluster, both started here. Every contender has its
 * own JVM that stays up. A round measures all cells, and in every cell all contenders.
 */
public final class RedisBench {
  private static final List<String> JVM_OPTIONS =
      List.of("-Xms512m", "-Xmx512m", "-Dslf4j.internal.verbosity=ERROR");

  /** How often an open loop is measured at most while the hypervisor steals time from it. */
  private static final int TRIES = 5;

  /**
   * How much to measure.
   *
   * @param rounds how often every contender is measured in every cell
   * @param warmUp the warm-up time of each cell
   * @param measure the time of each measurement
   * @param cells the cells to measure
   * @param chart the file for the chart of latencies
   */
  public record Plan(int rounds, Duration warmUp, Duration measure, List<Cell> cells, Path chart) {
    /** Reads {@code --quick}, {@code --rounds N}, {@code --cells NAME,…}, {@code --chart FILE}. */
    public static Plan parse(List<String> arguments) {
      boolean quick = arguments.contains("--quick");
      int rounds = quick ? 1 : 5;
      List<Cell> cells = List.of(Cell.values());
      Path chart = Path.of("bench-redis.svg");
      Iterator<String> words = arguments.iterator();
      while (words.hasNext()) {
        String word = words.next();
        if (word.equals("--rounds") && words.hasNext()) {
          String text = words.next();
          if (!text.matches("[1-9][0-9]?")) {
            throw new BenchUsageException("--rounds must be 1 to 99, was " + text);
          }
          rounds = Integer.parseInt(text);
        } else if (word.equals("--cells") && words.hasNext()) {
          cells = cells(words.next());
        } else if (word.equals("--chart") && words.hasNext()) {
          chart = Path.of(words.next());
        } else if (!word.equals("--quick")) {
          throw new BenchUsageException("bench redis does not know " + word);
        }
      }
      return new Plan(
          rounds,
          Duration.ofMillis(quick ? 1000 : 2000),
          Duration.ofMillis(quick ? 600 : 1000),
          cells,
          chart);
    }

    private static List<Cell> cells(String names) {
      List<Cell> cells = new ArrayList<>();
      for (String name : names.split(",", -1)) {
        String wanted = name.toUpperCase(Locale.ROOT).replace('-', '_');
        cells.add(
            Arrays.stream(Cell.values())
                .filter(cell -> cell.name().equals(wanted))
                .findFirst()
                .orElseThrow(
                    () ->
                        new BenchUsageException(
                            "there is no cell "
                                + name
                                + "; there are "
                                + Arrays.toString(Cell.values())
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'))));
      }
      return cells;
    }
  }

  private final Plan plan;
  private final RedisReport report;
  private final Map<RedisContender, ProbeProcess> probes = new EnumMap<>(RedisContender.class);

  /** Creates the benchmark. */
  public RedisBench(Plan plan) {
    this.plan = plan;
    this.report = new RedisReport(plan);
  }

  /** Measures everything, then prints the tables. */
  public void run(PrintStream out, PrintStream progress) throws IOException {
    long start = System.nanoTime();
    RedisBinary binary = RedisBinary.any();
    progress.println("starting Redis, a cluster of 3 masters, and a JVM per contender");
    try (RedisServer server = RedisServer.start(binary);
        RedisCluster cluster = RedisCluster.start(binary, 3, false)) {
      try {
        for (RedisContender contender : RedisContender.values()) {
          if (plan.cells.stream().anyMatch(cell -> cell.contenders().contains(contender))) {
            probes.put(
                contender, new ProbeProcess(contender, JVM_OPTIONS, server.uri(), cluster.uri()));
          }
        }
        report.on(version(server));
        for (int round = 0; round <= plan.rounds; round++) {
          for (Cell cell : plan.cells) {
            progress.printf(
                Locale.ROOT,
                "[%s] %s%n",
                round == 0 ? "warm-up" : round + "/" + plan.rounds,
                cell.title());
            measure(cell, round, cell.cluster() ? cluster.masters() : List.of(server));
          }
        }
      } finally {
        probes.values().forEach(ProbeProcess::close);
      }
    }
    progress.printf(Locale.ROOT, "took %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    report.print(out);
    if (report.hasChart()) {
      Files.writeString(plan.chart, report.chart(), StandardCharsets.UTF_8);
      out.println("Latencies of the open loops are drawn in " + plan.chart + ".");
    }
  }

  private void measure(Cell cell, int round, List<RedisServer> servers) throws IOException {
    List<RedisContender> order = new ArrayList<>(cell.contenders());
    Collections.rotate(order, round);
    for (RedisContender contender : order) {
      ProbeProcess probe = probes.get(contender);
      if (probe == null) {
        throw new IllegalStateException("no JVM for " + contender);
      }
      boolean open = cell.load() == Cell.Load.OPEN;
      double rate = open ? cell.partOfPeak() * report.peak(contender) : 0;
      Duration time = round == 0 ? plan.warmUp : plan.measure;
      Measured measured = measure(probe, cell, time, rate, servers);
      for (int tried = 1; open && measured.isDisturbed() && tried < TRIES; tried++) {
        report.addRepeated();
        measured = measure(probe, cell, time, rate, servers);
      }
      report.add(cell, contender, round, measured.sample, measured.redisMicros, measured.stolen);
    }
  }

  /**
   * One measurement.
   *
   * @param redisMicros the processor time of Redis per decision
   * @param stolen the part of the processors' time that the hypervisor stole
   */
  private record Measured(Sample sample, double redisMicros, double stolen) {
    boolean isDisturbed() {
      return stolen >= ProcessorTimes.DISTURBED;
    }
  }

  private static Measured measure(
      ProbeProcess probe, Cell cell, Duration time, double rate, List<RedisServer> servers)
      throws IOException {
    ProcessorTimes start = ProcessorTimes.now();
    double before = cpuSeconds(servers);
    Sample sample = probe.measure(cell, time, rate);
    double cpu = cpuSeconds(servers) - before;
    return new Measured(
        sample,
        cpu * 1e6 / Math.max(1, sample.decisions()),
        ProcessorTimes.now().stolenSince(start));
  }

  private static double cpuSeconds(List<RedisServer> servers) {
    double seconds = 0;
    for (RedisServer server : servers) {
      for (String line : String.valueOf(server.command("INFO", "cpu")).split("\r?\n", -1)) {
        if (line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:")) {
          seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
        }
      }
    }
    return seconds;
  }

  private static String version(RedisServer server) {
    for (String line : String.valueOf(server.command("INFO", "server")).split("\r?\n", -1)) {
      if (line.startsWith("redis_version:")) {
        return line.substring(line.indexOf(':') + 1);
      }
    }
    return "?";
  }
}
