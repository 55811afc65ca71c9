package dev.redline.bench.http;

import dev.redline.bench.ChildJvm;
import dev.redline.bench.Table;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * The processor time of one decision, split by what it is used for. All servers get the same closed
 * loop, which keeps both processors busy: at a lower load most of the time is spent on waking
 * threads up. Each part is the difference of two: a bare server (HTTP); the service with {@code
 * rl.enabled=false}, which reads and writes JSON and decides nothing; the service in memory; and on
 * Redis. The library decides on the same requests without HTTP.
 */
final class CostSplit {
  /** The store's part in the service, compared with the library's. */
  static final double BAR = 1.25;

  private static final int CONNECTIONS = 32;
  private static final int OUTSTANDING = 2;

  private final HttpBench.Plan plan;
  private final MeasuredServers servers;

  CostSplit(HttpBench.Plan plan, MeasuredServers servers) {
    this.plan = plan;
    this.servers = servers;
  }

  void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    double http;
    double json;
    double engine;
    double store;
    double redisCpu;
    double libraryStore;
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      progress.println("cost: bare Netty");
      try (ServerProcess server = servers.startBare()) {
        http = micros(server);
      }
      progress.println("cost: JSON without a decision");
      try (ServerProcess server = servers.startRedline("--rl.enabled=false")) {
        json = micros(server) - http;
      }
      progress.println("cost: in memory");
      try (ServerProcess server = servers.startRedline()) {
        engine = micros(server) - json - http;
      }
      progress.println("cost: on Redis");
      try (ServerProcess server = servers.startRedlineOnRedis(redis.uri())) {
        store = micros(server) - engine - json - http;
        redisCpu = redisMicros(redis, server);
      }
      progress.println("cost: the library, in memory and on Redis");
      libraryStore = library(redis.uri()) - library(LibraryProbe.LOCAL);
    }
    out.printf(
        Locale.ROOT,
        "Processor time of one decision, closed loop of %d single checks at a time, %s%n%n",
        CONNECTIONS * OUTSTANDING,
        Runtime.version());
    Table table = new Table(List.of("part", "CPU µs/decision", "how it is measured"));
    table.add(row("HTTP", http, "bare Netty, a constant"));
    table.add(row("JSON", json, "service with rl.enabled=false, less HTTP"));
    table.add(row("engine", engine, "service in memory, less HTTP and JSON"));
    table.add(row("store", store, "service on Redis, less the above"));
    table.add(row("store, library", libraryStore, "library on Redis, less library in memory"));
    table.add(row("Redis itself", redisCpu, "INFO cpu of the Redis process"));
    table.print(out);
    double ratio = store / libraryStore;
    out.printf(
        Locale.ROOT,
        "Bar: the store's part is at most %.2f × the library's, is %.2f ×: %s%n%n",
        BAR,
        ratio,
        ratio <= BAR ? "WIN" : "LOSS");
  }

  private static List<String> row(String part, double micros, String how) {
    return List.of(part, String.format(Locale.ROOT, "%.1f", micros), how);
  }

  private double micros(ServerProcess server) throws InterruptedException {
    try (HttpLoad load = new HttpLoad(server.port(), CONNECTIONS, Checks.single())) {
      load.closed(OUTSTANDING, plan.warmUp());
      long before = server.cpuTime().toNanos();
      LoadResult result = load.closed(OUTSTANDING, plan.measure());
      return (server.cpuTime().toNanos() - before) / 1000.0 / result.allowed();
    }
  }

  private double library(String store) throws IOException, InterruptedException {
    List<String> lines =
        ChildJvm.run(
            List.of("-Xms512m", "-Xmx512m"),
            List.of(
                LibraryProbe.COMMAND,
                store,
                Integer.toString(CONNECTIONS * OUTSTANDING),
                Long.toString(plan.measure().toSeconds())));
    return Double.parseDouble(lines.get(lines.size() - 1));
  }

  private double redisMicros(RedisServer redis, ServerProcess server) throws InterruptedException {
    double before = redisMicros(redis);
    try (HttpLoad load = new HttpLoad(server.port(), CONNECTIONS, Checks.single())) {
      LoadResult result = load.closed(OUTSTANDING, plan.measure());
      return (redisMicros(redis) - before) / result.allowed();
    }
  }

  private static double redisMicros(RedisServer redis) {
    return String.valueOf(redis.command("INFO", "cpu"))
            .lines()
            .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1).strip()))
            .sum()
        * 1e6;
  }
}
