package dev.redline.bench.http;

import dev.redline.bench.LatencyChart;
import dev.redline.bench.ProcessorTimes;
import dev.redline.bench.Table;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Single checks and batches, in memory and on Redis: first a closed loop, which finds the peak,
 * then an open loop at half of it, which measures latencies. Batches of busy callers, also with
 * leases.
 *
 * <p>A stall of 60 ms, which a machine with other work has now and then, is 1 % of a round: so
 * there are several rounds, and the one with the median p99 is shown, with the time that the
 * hypervisor stole meanwhile. What is judged is p99 of the quiet seconds of all rounds, if at least
 * a third of the seconds were quiet. A bare server under single checks is measured likewise, and
 * not judged: it shows how much of the latencies is the machine's.
 */
final class LatencyBench {
  /** How many decisions per second batches in memory should reach. */
  static final double BATCH_BAR = 500_000;

  private static final int BATCH = 100;
  private static final int CONNECTIONS = 32;
  private static final int BATCH_CONNECTIONS = 4;
  private static final int OUTSTANDING = 2;
  private static final double SHARE = 0.5;

  private final HttpBench.Plan plan;
  private final MeasuredServers servers;
  private final LatencyChart chart = new LatencyChart("Latency at 50 % of the peak, open loop");
  private final Table table =
      new Table(
          List.of(
              "load",
              "peak decisions/s",
              "open loop/s",
              "errors",
              "p50 ms",
              "p90 ms",
              "p99 ms",
              "p99.9 ms",
              "max ms",
              "worst p99 ms",
              "stolen",
              "quiet seconds",
              "their p99 ms",
              "CPU µs/decision",
              "verdict"));

  LatencyBench(HttpBench.Plan plan, MeasuredServers servers) {
    this.plan = plan;
    this.servers = servers;
  }

  void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    double inMemory;
    double leased;
    try (ServerProcess bare = servers.startBare()) {
      row(
          "single, bare server",
          bare,
          CONNECTIONS,
          Checks.single(),
          OptionalDouble.empty(),
          progress);
    }
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      try (ServerProcess server = servers.startRedline()) {
        measure("in memory", server, progress);
        inMemory = busyCallers("in memory", server, progress);
      }
      try (ServerProcess server = servers.startRedlineOnRedis(redis.uri())) {
        measure("on Redis", server, progress);
      }
      try (ServerProcess server = servers.startRedlineWithLeases(redis.uri())) {
        leased = busyCallers("on Redis with leases", server, progress);
      }
    }
    out.printf(
        Locale.ROOT,
        "The service under load, generator and Redis on the same %d processors, %s; closed loop for"
            + " the peak, then %d round(s) of %d s of an open loop at 50 %% of it; latencies from"
            + " the intended start, of the round with the median p99; a second is quiet if the"
            + " hypervisor stole less than %.0f %% of it, and no backlog of such seconds is left%n%n",
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        plan.rounds(),
        plan.measure().toSeconds(),
        ProcessorTimes.DISTURBED * 100);
    table.print(out);
    Files.writeString(plan.chart(), chart.svg(), StandardCharsets.UTF_8);
    out.printf(
        Locale.ROOT,
        "Bars: no errors, p99 of the quiet seconds below 10 ms; batches of %d in memory: %.0f decisions/s. Chart: %s%n%n",
        BATCH,
        BATCH_BAR,
        plan.chart());
    out.printf(
        Locale.ROOT,
        "Busy callers are 1000, drawn by Zipf's law with exponent 1. Their peak on Redis with leases"
            + " is %.2f of the peak in memory.%n%n",
        leased / inMemory);
  }

  /** Measures batches of callers some of whom are busy enough for leases; returns the peak. */
  private double busyCallers(String store, ServerProcess server, PrintStream progress)
      throws InterruptedException {
    return row(
        "batch of " + BATCH + " busy callers, " + store,
        server,
        BATCH_CONNECTIONS,
        Checks.skewedBatches(BATCH),
        OptionalDouble.of(0),
        progress);
  }

  private void measure(String store, ServerProcess server, PrintStream progress)
      throws InterruptedException {
    row("single, " + store, server, CONNECTIONS, Checks.single(), OptionalDouble.of(0), progress);
    row(
        "batch of " + BATCH + ", " + store,
        server,
        BATCH_CONNECTIONS,
        Checks.batches(BATCH),
        OptionalDouble.of(store.equals("in memory") ? BATCH_BAR : 0),
        progress);
  }

  /**
   * Measures one row; returns its peak of decisions per second.
   *
   * @param bar how many decisions per second the peak must reach; empty if the row is not judged
   */
  private double row(
      String name,
      ServerProcess server,
      int connections,
      Checks checks,
      OptionalDouble bar,
      PrintStream progress)
      throws InterruptedException {
    progress.println("latency: " + name + ", peak");
    try (HttpLoad load = new HttpLoad(server.port(), connections, checks)) {
      WarmUp.run(server, load, OUTSTANDING, plan.warmUp());
      double peak = load.closed(OUTSTANDING, plan.measure()).perSecond();
      progress.printf(Locale.ROOT, "latency: %s, open loop at %.0f/s%n", name, peak * SHARE);
      load.open(peak * SHARE, plan.measure().dividedBy(2));
      List<Round> rounds = new ArrayList<>();
      for (int round = 0; round < plan.rounds(); round++) {
        rounds.add(round(server, load, peak * SHARE));
      }
      rounds.sort(Comparator.comparingDouble(each -> each.result.millis(99)));
      Round median = rounds.get(rounds.size() / 2);
      LoadResult result = median.result;
      LoadResult worst = rounds.get(rounds.size() - 1).result;
      long errors = rounds.stream().mapToLong(each -> each.result.errors()).sum();
      double peakDecisions = peak * checks.decisions();
      QuietSeconds.Sum quiet = new QuietSeconds.Sum();
      rounds.forEach(each -> quiet.add(each.result.quiet()));
      double p99 = quiet.isEnough() ? quiet.millis(99) : result.millis(99);
      boolean won = errors == 0 && p99 < 10 && peakDecisions >= bar.orElse(0);
      table.add(
          List.of(
              name,
              number("%.0f", peakDecisions),
              number("%.0f", result.perSecond() * checks.decisions()),
              Long.toString(errors),
              number("%.2f", result.millis(50)),
              number("%.2f", result.millis(90)),
              number("%.2f", result.millis(99)),
              number("%.2f", result.millis(99.9)),
              number("%.2f", result.millis(100)),
              number("%.2f", worst.millis(99)),
              number("%.1f %%", median.stolen * 100),
              quiet.quiet() + " of " + quiet.seconds(),
              quiet.quiet() == 0 ? "" : number("%.2f", quiet.millis(99)),
              number("%.2f", median.cpuMicros / checks.decisions()),
              bar.isEmpty() ? "" : won ? "WIN" : "LOSS"));
      chart.add(name, result.latencies());
      return peakDecisions;
    }
  }

  /**
   * One round of an open loop.
   *
   * @param cpuMicros the server's processor time for a request
   * @param stolen the part of the processors' time that the hypervisor took
   */
  private record Round(LoadResult result, double cpuMicros, double stolen) {}

  private Round round(ServerProcess server, HttpLoad load, double perSecond)
      throws InterruptedException {
    ProcessorTimes start = ProcessorTimes.now();
    long before = server.cpuTime().toNanos();
    LoadResult result = load.open(perSecond, plan.measure());
    double cpu = (server.cpuTime().toNanos() - before) / 1000.0;
    return new Round(result, cpu / result.allowed(), ProcessorTimes.now().stolenSince(start));
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
