package dev.redline.bench.http;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.ChildJvm;
import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Compares {@code POST /v1/check} of the service with a bare Netty server that responds to the same
 * requests with a constant. Both stay up; wrk loads them in turn, round by round.
 */
public final class HttpBench {
  static final double BAR = 0.7;

  private static final int CONNECTIONS = 64;
  private static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx512m");
  private static final String RULES =
      """
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: 1000000000/s }
      """;

  /**
   * How much to measure.
   *
   * @param rounds how often each server is measured
   * @param warmUp the warm-up time of each server
   * @param measure the time of each measurement
   * @param server the jar of the service, if it is not in its usual place
   */
  public record Plan(int rounds, Duration warmUp, Duration measure, Optional<Path> server) {
    /** Reads {@code --quick}, {@code --rounds N} and {@code --server JAR}. */
    public static Plan parse(List<String> arguments) {
      boolean quick = arguments.contains("--quick");
      int rounds = 3;
      Optional<Path> server = Optional.empty();
      Iterator<String> words = arguments.iterator();
      while (words.hasNext()) {
        String word = words.next();
        if (word.equals("--rounds") && words.hasNext()) {
          String text = words.next();
          if (!text.matches("[1-9][0-9]?")) {
            throw new BenchUsageException("--rounds must be 1 to 99, was " + text);
          }
          rounds = Integer.parseInt(text);
        } else if (word.equals("--server") && words.hasNext()) {
          server = Optional.of(Path.of(words.next()).toAbsolutePath());
        } else if (!word.equals("--quick")) {
          throw new BenchUsageException("bench http does not know " + word);
        }
      }
      return new Plan(
          rounds, Duration.ofSeconds(quick ? 3 : 10), Duration.ofSeconds(quick ? 2 : 6), server);
    }
  }

  private final Plan plan;

  /** Creates the benchmark. */
  public HttpBench(Plan plan) {
    this.plan = plan;
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

  /** Measures both servers, then prints the table. */
  public void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("redline-bench");
    try {
      Wrk wrk = new Wrk(directory, CONNECTIONS);
      progress.println("starting both servers");
      try (ServerProcess bare = startBare(directory);
          ServerProcess redline = startRedline(directory)) {
        progress.printf(Locale.ROOT, "warming up, %d s each%n", plan.warmUp.toSeconds());
        wrk.drive(bare.port(), plan.warmUp);
        wrk.drive(redline.port(), plan.warmUp);
        Turns bareTurns = new Turns();
        Turns redlineTurns = new Turns();
        for (int round = 1; round <= plan.rounds; round++) {
          progress.printf(Locale.ROOT, "[%d/%d] bare Netty, then Redline%n", round, plan.rounds);
          bareTurns.drive(bare, wrk, plan.measure);
          redlineTurns.drive(redline, wrk, plan.measure);
        }
        print(out, bareTurns, redlineTurns);
      }
    } finally {
      delete(directory);
    }
  }

  private ServerProcess startBare(Path directory) throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    List<String> command =
        ChildJvm.command(JVM_OPTIONS, List.of(BareServer.COMMAND, Integer.toString(port)));
    return ServerProcess.start(command, port, directory);
  }

  private ServerProcess startRedline(Path directory) throws IOException, InterruptedException {
    Path rules = directory.resolve("rules.yaml");
    Files.writeString(rules, RULES);
    int port = ServerProcess.freePort();
    List<String> command = new ArrayList<>();
    command.add(ChildJvm.java());
    command.addAll(JVM_OPTIONS);
    command.addAll(
        List.of(
            "-jar",
            serverJar().toString(),
            "serve",
            "--rules",
            rules.toString(),
            "--port",
            Integer.toString(port),
            "--management-port",
            Integer.toString(ServerProcess.freePort())));
    return ServerProcess.start(command, port, directory);
  }

  Path serverJar() {
    Path jar = plan.server.orElseGet(HttpBench::serverJarBesideThis);
    if (!Files.isRegularFile(jar)) {
      throw new BenchUsageException(
          "no server jar at "
              + jar
              + "; build it with: mvn -pl server -am -DskipTests package, or name it with --server");
    }
    return jar;
  }

  /** Returns the path of the service's jar in the build, relative to this program. */
  private static Path serverJarBesideThis() {
    try {
      Path self =
          Path.of(HttpBench.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return self.resolve("../../../server/target/redline-server.jar").normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the location of this program is unknown", e);
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
        plan.rounds,
        plan.measure.toSeconds());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < plan.rounds; round++) {
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
    out.println("Bar: at least 0.7 × the bare server. Latencies are those of the last round.");
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

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
