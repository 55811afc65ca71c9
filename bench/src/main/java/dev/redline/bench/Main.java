package dev.redline.bench;

import dev.redline.bench.faults.FaultsBench;
import dev.redline.bench.http.BareServer;
import dev.redline.bench.http.HttpBench;
import dev.redline.bench.local.LocalBench;
import dev.redline.bench.local.LocalProbe;
import dev.redline.bench.redis.RedisBench;
import dev.redline.bench.redis.RedisProbe;
import java.util.Arrays;
import java.util.List;

/** The command line of the benchmarks: progress goes to stderr, results to stdout. */
public final class Main {
  private static final String USAGE =
      """
      usage: redline bench local [--quick] [--rounds N] [--cpu-time]
             redline bench redis [--quick] [--rounds N] [--cells NAME,...]
             redline bench faults [NAME...]
             redline bench http [--quick] [--rounds N] [--server JAR]

        local   decisions in this process: Redline, Bucket4j, Resilience4j, Guava and the floor
        redis   decisions on a Redis and a cluster started here: Redline, Bucket4j, Redisson and
                one plain EVALSHA per decision
        faults  what callers notice while Redis fails in ten ways, and when it is back
        http    POST /v1/check beside a bare Netty server, driven by wrk
      """;

  private Main() {}

  /** Runs the benchmark that the first argument names. */
  public static void main(String[] args) throws Exception {
    List<String> rest = Arrays.asList(args).subList(Math.min(1, args.length), args.length);
    try {
      switch (args.length == 0 ? "" : args[0]) {
        case "local" -> new LocalBench(LocalBench.Plan.parse(rest)).run(System.out, System.err);
        case "http" -> new HttpBench(HttpBench.Plan.parse(rest)).run(System.out, System.err);
        case "redis" -> new RedisBench(RedisBench.Plan.parse(rest)).run(System.out, System.err);
        case "faults" -> FaultsBench.run(rest, System.out, System.err);
        case BareServer.COMMAND -> BareServer.run(Integer.parseInt(rest.get(0)));
        case LocalProbe.COMMAND -> LocalProbe.run(rest, System.out);
        case RedisProbe.COMMAND -> RedisProbe.run(rest, System.in, System.out);
        default -> {
          System.err.print(USAGE);
          System.exit(2);
        }
      }
    } catch (BenchUsageException e) {
      System.err.println("redline: " + e.getMessage());
      System.exit(2);
    }
  }
}
