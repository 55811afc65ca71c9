package dev.redline.bench.http;

import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares {@code POST /v1/check} of the service with a bare Netty server that responds to the same
 * requests with a constant. Both stay up; wrk loads them in turn, round by round.
 */
final class PeakComparison {
  static final double BAR = 0.8;

  private static final int CONNECTIONS = 64;

  private final HttpBench.Plan plan;
  private final MeasuredServers servers;

  PeakComparison(HttpBench.Plan plan, MeasuredServers servers) {
    this.plan = plan;
    this.servers = servers;
  }

  /** One server's rounds. */
  private static final class Turns {
    private final List<Double> perSecond = new ArrayList<>();
    private final List<Double> cpuMicros = new ArrayList<>();
    private String median = "";
    private String p99 = "";

    void drive(ServerProcess server, Wrk wrk, Duration time)
        throws IOException, InterruptedException {
      Duration before = server.cpuTime();
      Wrk.Result result = wrk.drive(server.port(), time);
      Duration cpu = server.cpuTime().minus(before);
      perSecond.add(result.perSecond());
      cpuMicros.add(cpu.toNanos() / 1000.0 / result.requests());
      median = result.median();
      p99 = result.p99();
    }
  }

  void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    Wrk wrk = new Wrk(servers.directory(), CONNECTIONS);
    progress.println("peak: starting both servers");
    try (ServerProcess bare = servers.startBare();
        ServerProcess redline = servers.startRedline()) {
      for (ServerProcess server : List.of(bare, redline)) {
        progress.printf(Locale.ROOT, "warming up, at least %d s%n", plan.warmUp().toSeconds());
        try (HttpLoad load = new HttpLoad(server.port(), CONNECTIONS, Checks.single())) {
          WarmUp.run(server, load, 1, plan.warmUp());
        }
      }
      Turns bareTurns = new Turns();
      Turns redlineTurns = new Turns();
      for (int round = 1; round <= plan.rounds(); round++) {
        progress.printf(Locale.ROOT, "[%d/%d] bare Netty, then Redline%n", round, plan.rounds());
        bareTurns.drive(bare, wrk, plan.measure());
        redlineTurns.drive(redline, wrk, plan.measure());
      }
      print(out, bareTurns, redlineTurns);
    }
  }

  private void print(PrintStream out, Turns bare, Turns redline) {
    out.printf(
        Locale.ROOT,
        "POST /v1/check in memory, %d connections, 1 thread of wrk on the same %d processors,"
            + " %s; medians of %d round(s) of %d s%n%n",
        CONNECTIONS,
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        plan.rounds(),
        plan.measure().toSeconds());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < plan.rounds(); round++) {
      ratios.add(redline.perSecond.get(round) / bare.perSecond.get(round));
    }
    double ratio = Medians.of(ratios);
    Table table =
        new Table(
            List.of(
                "server",
                "requests/s",
                "ratio",
                "spread",
                "CPU µs/request",
                "p50",
                "p99",
                "verdict"));
    table.add(row("bare Netty, a constant", bare, "1.00", ""));
    table.add(
        row(
            "Redline /v1/check",
            redline,
            String.format(Locale.ROOT, "%.2f", ratio),
            ratio >= BAR ? "WIN" : "LOSS"));
    table.print(out);
    out.printf(
        Locale.ROOT,
        "Bar: at least %.1f × the bare server. Latencies are those of the last round.%n%n",
        BAR);
  }

  private static List<String> row(String name, Turns turns, String ratio, String verdict) {
    return List.of(
        name,
        String.format(Locale.ROOT, "%.0f", Medians.of(turns.perSecond)),
        ratio,
        String.format(Locale.ROOT, "%.0f %%", Medians.spread(turns.perSecond) * 100),
        String.format(Locale.ROOT, "%.1f", Medians.of(turns.cpuMicros)),
        turns.median,
        turns.p99,
        verdict);
  }
}
