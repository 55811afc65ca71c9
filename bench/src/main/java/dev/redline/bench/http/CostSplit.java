package dev.redline.bench.http;

import dev.redline.bench.ChildJvm;
import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The processor time of one decision, split by what it is used for. Each part is the difference of
 * two servers: a bare server (HTTP); the service with {@code rl.enabled=false}, which reads and
 * writes JSON and decides nothing; the service in memory; and on Redis. All of them stay up and get
 * the same closed loop in turn, round by round, so that a change of the machine affects them alike.
 *
 * <p>The library decides on the same requests without HTTP. A call of Redis costs much more than a
 * decision in it, so the library has as many decisions in each call as the service had.
 */
final class CostSplit {
  /** The store's part in the service, compared with the library's. */
  static final double BAR = 1.25;

  /** One request at a time each: pipelined ones share system calls in memory, but not on Redis. */
  private static final int CONNECTIONS = 64;

  private static final int OUTSTANDING = 1;

  private final HttpBench.Plan plan;
  private final MeasuredServers servers;
  private final List<Double> http = new ArrayList<>();
  private final List<Double> json = new ArrayList<>();
  private final List<Double> engine = new ArrayList<>();
  private final List<Double> store = new ArrayList<>();
  private final List<Double> redisCpu = new ArrayList<>();
  private final List<Double> decisionsPerCall = new ArrayList<>();

  CostSplit(HttpBench.Plan plan, MeasuredServers servers) {
    this.plan = plan;
    this.servers = servers;
  }

  void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      measureServers(redis, progress);
      double perCall = Medians.of(decisionsPerCall);
      progress.printf(Locale.ROOT, "cost: the library, %.1f decisions in a call%n", perCall);
      // One call is in flight while the next one collects, so each has about half of them.
      int outstanding = Math.max(1, (int) Math.round(2 * perCall));
      Load inMemory = library(LibraryProbe.LOCAL, outstanding);
      RedisUsage before = RedisUsage.of(redis);
      Load onRedis = library(redis.uri(), outstanding);
      long calls = RedisUsage.of(redis).since(before).calls();
      print(out, onRedis.micros() - inMemory.micros(), (double) onRedis.decisions() / calls);
    }
  }

  private void measureServers(RedisServer redis, PrintStream progress)
      throws IOException, InterruptedException {
    try (ServerProcess bare = servers.startBare();
        ServerProcess undecided = servers.startRedline("--rl.enabled=false");
        ServerProcess inMemory = servers.startRedline();
        ServerProcess onRedis = servers.startRedlineOnRedis(redis.uri())) {
      for (ServerProcess server : List.of(bare, undecided, inMemory, onRedis)) {
        progress.println("cost: warming up");
        try (HttpLoad load = new HttpLoad(server.port(), CONNECTIONS, Checks.single())) {
          WarmUp.run(server, load, OUTSTANDING, plan.warmUp());
        }
      }
      for (int round = 1; round <= plan.rounds(); round++) {
        progress.printf(Locale.ROOT, "cost: [%d/%d] four servers%n", round, plan.rounds());
        double bareMicros = load(bare).micros();
        double undecidedMicros = load(undecided).micros();
        double inMemoryMicros = load(inMemory).micros();
        RedisUsage before = RedisUsage.of(redis);
        Load last = load(onRedis);
        RedisUsage used = RedisUsage.of(redis).since(before);
        http.add(bareMicros);
        json.add(undecidedMicros - bareMicros);
        engine.add(inMemoryMicros - undecidedMicros);
        store.add(last.micros() - inMemoryMicros);
        redisCpu.add(used.cpuMicros() / last.decisions());
        decisionsPerCall.add((double) last.decisions() / used.calls());
      }
    }
  }

  /** How many decisions a program made, and its processor time for each. */
  private record Load(long decisions, double micros) {}

  private Load load(ServerProcess server) throws InterruptedException {
    try (HttpLoad load = new HttpLoad(server.port(), CONNECTIONS, Checks.single())) {
      long before = server.cpuTime().toNanos();
      long decisions = load.closed(OUTSTANDING, plan.measure()).allowed();
      return new Load(decisions, (server.cpuTime().toNanos() - before) / 1000.0 / decisions);
    }
  }

  private Load library(String store, int outstanding) throws IOException, InterruptedException {
    List<String> lines =
        ChildJvm.run(
            List.of("-Xms512m", "-Xmx512m"),
            List.of(
                LibraryProbe.COMMAND,
                store,
                Integer.toString(outstanding),
                Integer.toString(plan.rounds()),
                plan.warmUp().toString(),
                plan.measure().toString()));
    int rounds = lines.size() - 1;
    return new Load(
        Long.parseLong(lines.get(rounds)),
        Medians.of(lines.subList(0, rounds).stream().map(Double::valueOf).toList()));
  }

  private void print(PrintStream out, double inLibrary, double libraryPerCall) {
    out.printf(
        Locale.ROOT,
        "Processor time of one decision, closed loop of %d single checks at a time, %s; medians of"
            + " %d round(s) of %d s%n%n",
        CONNECTIONS * OUTSTANDING,
        Runtime.version(),
        plan.rounds(),
        plan.measure().toSeconds());
    double inService = Medians.of(store);
    Table table =
        new Table(List.of("part", "CPU µs/decision", "decisions/call", "how it is measured"));
    table.add(row("HTTP", Medians.of(http), "", "bare Netty, a constant"));
    table.add(row("JSON", Medians.of(json), "", "service with rl.enabled=false, less HTTP"));
    table.add(row("engine", Medians.of(engine), "", "service in memory, less HTTP and JSON"));
    table.add(
        row(
            "store",
            inService,
            number(Medians.of(decisionsPerCall)),
            "service on Redis, less the above"));
    table.add(
        row(
            "store, library",
            inLibrary,
            number(libraryPerCall),
            "library on Redis, less library in memory"));
    table.add(row("Redis itself", Medians.of(redisCpu), "", "INFO cpu of the Redis process"));
    table.print(out);
    double ratio = inService / inLibrary;
    out.printf(
        Locale.ROOT,
        "Bar: the store's part is at most %.2f × the library's, is %.2f ×: %s; its spread is %.0f %%"
            + "%n%n",
        BAR,
        ratio,
        ratio <= BAR ? "WIN" : "LOSS",
        Medians.spread(store) * 100);
  }

  private static List<String> row(String part, double micros, String perCall, String how) {
    return List.of(part, number(micros), perCall, how);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
