package dev.redline.bench.redis;

import dev.redline.stores.redis.RedisSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The program of the JVMs that {@link RedisBench} starts: it has one contender, reads from standard
 * input which cell to measure and for how long, and prints a sample for each.
 */
public final class RedisProbe {
  /** The command that runs a probe. */
  public static final String COMMAND = "redis-probe";

  private static final int CLIENTS = 16;

  /** A field, because a logger without references is collected, and with it its level. */
  private static final Logger LOG = Logger.getLogger("dev.redline");

  private final Map<Boolean, Client> clients = new HashMap<>();
  private final Map<BucketPopulation, Limiter> limiters = new HashMap<>();
  private final RedisContender contender;
  private final String uri;
  private final String clusterUri;
  private @Nullable Client inTimeClient;
  private @Nullable Limiter inTimeLimiter;
  private @Nullable LeasedChecks leasedChecks;

  private RedisProbe(RedisContender contender, String uri, String clusterUri) {
    this.contender = contender;
    this.uri = uri;
    this.clusterUri = clusterUri;
  }

  /** Measures until the input ends; the arguments are the contender and the Redis URIs. */
  public static void run(List<String> arguments, InputStream in, PrintStream out)
      throws IOException, InterruptedException {
    LOG.setLevel(Level.WARNING);
    RedisProbe probe =
        new RedisProbe(
            RedisContender.valueOf(arguments.get(0)), arguments.get(1), arguments.get(2));
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    try {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        List<String> words = List.of(line.split(" "));
        out.println(
            probe
                .measure(
                    Cell.valueOf(words.get(0)),
                    Duration.ofMillis(Long.parseLong(words.get(1))),
                    Double.parseDouble(words.get(2)))
                .line());
      }
    } finally {
      probe.close();
    }
  }

  private void close() {
    clients.values().forEach(Client::close);
    if (inTimeClient != null) {
      inTimeClient.close();
    }
    if (leasedChecks != null) {
      leasedChecks.close();
    }
  }

  /** Returns the input line that requests a measurement. */
  static String request(Cell cell, Duration time, double perSecond) {
    return cell.name() + " " + time.toMillis() + " " + perSecond;
  }

  private Sample measure(Cell cell, Duration time, double perSecond) throws InterruptedException {
    if (cell.load() == Cell.Load.LEASED) {
      // Outside of what is measured: limits that deny.
      leased().verify();
    }
    prepare(cell);
    long cpu = cpuNanos();
    return load(cell, time, perSecond).withCpu(cpuNanos() - cpu);
  }

  /** Returns the processor time of this process. */
  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Connects and creates buckets, which is not measured. */
  private void prepare(Cell cell) {
    switch (cell.load()) {
      case OPEN -> inTime(cell.population());
      case CLIENTS, LEASED -> {}
      case ASYNC, BLOCKING, IDLE -> limiter(cell.population());
    }
  }

  /** Returns a limiter; that of Redline has the time-out that users have. */
  private Limiter inTime(BucketPopulation population) {
    if (contender != RedisContender.REDLINE) {
      return limiter(population);
    }
    if (inTimeLimiter == null) {
      inTimeClient = new RedlineOnRedis(RedisSettings.of(uri));
      inTimeLimiter = inTimeClient.limiter(population);
    }
    return inTimeLimiter;
  }

  private LeasedChecks leased() {
    if (leasedChecks == null) {
      leasedChecks = new LeasedChecks(uri);
    }
    return leasedChecks;
  }

  private Sample load(Cell cell, Duration time, double perSecond) throws InterruptedException {
    BucketPopulation population = cell.population();
    int keys = population.keys();
    int outstanding = cell.outstanding();
    return switch (cell.load()) {
      case ASYNC -> ClosedLoop.run(List.of(limiter(population)), keys, outstanding, time);
      case CLIENTS -> many(population, outstanding, time);
      case BLOCKING, IDLE -> Threads.run(limiter(population), keys, outstanding, time);
      case OPEN -> OpenLoop.run(inTime(population), keys, perSecond, time);
      case LEASED -> {
        LeasedChecks checks = leased();
        yield checks.timed(ServingLoop.run(checks.limiter(population), keys, outstanding, time));
      }
    };
  }

  /** Measures several clients, each with its own connection. */
  private Sample many(BucketPopulation population, int outstanding, Duration time)
      throws InterruptedException {
    List<Client> opened = new ArrayList<>();
    try {
      List<Limiter> each = new ArrayList<>();
      for (int number = 0; number < CLIENTS; number++) {
        Client client = contender.connect(uri, false);
        opened.add(client);
        each.add(client.limiter(population));
      }
      return ClosedLoop.run(each, population.keys(), outstanding, time);
    } finally {
      opened.forEach(Client::close);
    }
  }

  private Limiter limiter(BucketPopulation population) {
    return limiters.computeIfAbsent(
        population, absent -> client(population.cluster()).limiter(population));
  }

  private Client client(boolean cluster) {
    return clients.computeIfAbsent(
        cluster, absent -> contender.connect(cluster ? clusterUri : uri, cluster));
  }
}
