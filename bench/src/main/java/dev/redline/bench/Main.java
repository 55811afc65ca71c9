package dev.redline.bench;

import dev.redline.bench.faults.FaultsBench;
import dev.redline.bench.http.BareServer;
import dev.redline.bench.http.HttpBench;
import dev.redline.bench.http.LibraryProbe;
import dev.redline.bench.local.LocalBench;
import dev.redline.bench.local.LocalProbe;
import dev.redline.bench.redis.RedisBench;
import dev.redline.bench.redis.RedisProbe;
import dev.redline.bench.scale.ScaleBench;
import dev.redline.bench.stores.HazelcastBench;
import dev.redline.bench.stores.JdbcBench;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/** The command line of the benchmarks: progress goes to stderr, results to stdout. */
public final class Main {
  private static final String USAGE =
      """
      usage: redline bench local [--quick] [--rounds N] [--cpu-time]
             redline bench redis [--quick] [--rounds N] [--cells NAME,...] [--chart FILE]
             redline bench hazelcast [--quick] [--rounds N]
             redline bench jdbc [--quick] [--rounds N]
             redline bench spring [--quick] [--rounds N]
             redline bench quarkus [--quick] [--rounds N]
             redline bench faults [NAME...]
             redline bench http [--quick] [--rounds N] [--parts peak,latency,cost] [--chart FILE]
                                [--server JAR]
             redline bench scale [--nodes N,...] [--rate N] [--keys N] [--zipf S] [--masters N] ...

        local   decisions in this process: Redline, Bucket4j, Resilience4j, Guava and the floor
        redis   decisions on a Redis and a cluster started here: Redline, Bucket4j, Redisson and
                one plain EVALSHA per decision
        hazelcast
                decisions in a member and in a client started here: Redline, Bucket4j and an
                entry processor that does nothing
        jdbc    decisions on a PostgreSQL started here: Redline and both proxies of Bucket4j
        spring  an annotated method and the filter in a Spring Boot application: Redline,
                Resilience4j and the Bucket4j starter; a program of its own
        quarkus an annotated method in Quarkus beside the same one in Spring, and the start of the
                sample beside the same application without Redline; a program of its own
        faults  what callers notice while Redis fails in eleven ways, and when it is back
        http    the service: its peak beside a bare Netty server, driven by wrk; latencies of an
                open loop, in memory and on Redis, single and batch, with a chart; and what the
                processor time of a decision is used for
        scale   up to 1,000 nodes and 10M decisions/s on simulated time: how many masters they
                need, and what callers get; lanes, leases and deny cache are the real code
                --nodes N,...        nodes; without it, a suite of ten scenarios
                --rate N             decisions per second of each node (10000)
                --outstanding N      a closed loop: so many decisions of each node are under way
                --surge F            F times as many for 20 ms in the middle of the measured time (1)
                --keys N             callers, each with a bucket (1000000)
                --zipf S             exponent of Zipf's law for the keys (1.0)
                --limit TEXT         limit of each key, such as "1000/s burst 500" (the demand of
                                     the tenth busiest key)
                --no-leases          leases are off
                --without-decay      leases with a mistake that the check has to find
                --masters N          masters (as many as are busy 60 % of the time)
                --slow F             the first master needs F times as long (1)
                --crashes N          nodes that crash per second (0)
                --round-trip MICROS  time on the network, there and back (300)
                --jitter MICROS      how much longer that takes on average (50)
                --redis-call MICROS, --redis-bucket MICROS, --node-call MICROS,
                --node-decision MICROS
                                     processor time of a call and of each bucket or decision
                --warm-up MILLIS, --measure MILLIS
                                     simulated time before and while it measures (200, 300)
                --seed N             the same seed gives the same result (1)
      """;

  private Main() {}

  /** Runs the benchmark that the first argument names. */
  public static void main(String[] args) throws Exception {
    int code = run(Arrays.asList(args), System.out, System.err);
    if (code != 0) {
      System.exit(code);
    }
  }

  /** Runs a benchmark; returns the exit code, which is 2 if the words are not understood. */
  static int run(List<String> words, PrintStream out, PrintStream err) throws Exception {
    if (words.contains("-h") || words.contains("--help")) {
      out.print(USAGE);
      return 0;
    }
    List<String> rest = words.subList(Math.min(1, words.size()), words.size());
    try {
      switch (words.isEmpty() ? "" : words.get(0)) {
        case "local" -> new LocalBench(LocalBench.Plan.parse(rest)).run(out, err);
        case "http" -> new HttpBench(HttpBench.Plan.parse(rest)).run(out, err);
        case "redis" -> new RedisBench(RedisBench.Plan.parse(rest)).run(out, err);
        case "hazelcast" -> HazelcastBench.run(rest, out, err);
        case "jdbc" -> JdbcBench.run(rest, out, err);
        case "faults" -> FaultsBench.run(rest, out, err);
        case "scale" -> {
          return ScaleBench.parse(rest).run(out, err);
        }
        case BareServer.COMMAND -> BareServer.run(Integer.parseInt(rest.get(0)));
        case HazelcastBench.MEMBER_COMMAND -> HazelcastBench.runMember(rest, out);
        case LibraryProbe.COMMAND -> LibraryProbe.run(rest, out);
        case LocalProbe.COMMAND -> LocalProbe.run(rest, out);
        case RedisProbe.COMMAND -> RedisProbe.run(rest, System.in, out);
        default -> {
          err.print(USAGE);
          return 2;
        }
      }
      return 0;
    } catch (BenchUsageException e) {
      err.println("redline: " + e.getMessage());
      return 2;
    }
  }
}
