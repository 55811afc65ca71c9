package dev.redline.bench.http;

import dev.redline.bench.BenchUsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Measures the service over HTTP, in three parts. */
public final class HttpBench {
  /** What can be measured. */
  public enum Part {
    /** The most requests per second, compared with a bare server. */
    PEAK,
    /** Latencies of an open loop at half of the peak: single checks and batches. */
    LATENCY,
    /** The processor time of a decision, and what it is used for. */
    COST
  }

  /**
   * How much to measure.
   *
   * @param parts what to measure
   * @param rounds how often each server is measured
   * @param warmUp the warm-up time of each server
   * @param measure the time of each measurement
   * @param server the jar of the service, if it is not in its usual place
   * @param chart the file for the chart of latencies
   */
  public record Plan(
      Set<Part> parts,
      int rounds,
      Duration warmUp,
      Duration measure,
      Optional<Path> server,
      Path chart) {
    /**
     * Reads {@code --quick}, {@code --rounds N}, {@code --parts NAME,…}, {@code --server JAR} and
     * {@code --chart FILE}.
     */
    public static Plan parse(List<String> arguments) {
      boolean quick = false;
      int rounds = 3;
      Set<Part> parts = EnumSet.allOf(Part.class);
      Optional<Path> server = Optional.empty();
      Path chart = Path.of("bench-http.svg");
      Iterator<String> words = arguments.iterator();
      while (words.hasNext()) {
        String word = words.next();
        if (word.equals("--quick")) {
          quick = true;
        } else if (!words.hasNext()) {
          throw new BenchUsageException("bench http does not know " + word);
        } else {
          String value = words.next();
          switch (word) {
            case "--rounds" -> rounds = rounds(value);
            case "--parts" -> parts = parts(value);
            case "--server" -> server = Optional.of(Path.of(value).toAbsolutePath());
            case "--chart" -> chart = Path.of(value);
            default -> throw new BenchUsageException("bench http does not know " + word);
          }
        }
      }
      return new Plan(
          parts,
          rounds,
          Duration.ofSeconds(quick ? 3 : 10),
          Duration.ofSeconds(quick ? 2 : 6),
          server,
          chart);
    }

    private static int rounds(String text) {
      if (!text.matches("[1-9][0-9]?")) {
        throw new BenchUsageException("--rounds must be 1 to 99, was " + text);
      }
      return Integer.parseInt(text);
    }

    private static Set<Part> parts(String text) {
      Set<Part> parts = EnumSet.noneOf(Part.class);
      for (String name : text.split(",", -1)) {
        try {
          parts.add(Part.valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw new BenchUsageException("--parts must be peak, latency or cost, was " + name);
        }
      }
      return parts;
    }
  }

  private final Plan plan;

  /** Creates the benchmark. */
  public HttpBench(Plan plan) {
    this.plan = plan;
  }

  /** Measures, then prints a table for each part. */
  public void run(PrintStream out, PrintStream progress) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("redline-bench");
    try {
      MeasuredServers servers = new MeasuredServers(directory, serverJar());
      if (plan.parts.contains(Part.PEAK)) {
        new PeakComparison(plan, servers).run(out, progress);
      }
      if (plan.parts.contains(Part.LATENCY)) {
        new LatencyBench(plan, servers).run(out, progress);
      }
      if (plan.parts.contains(Part.COST)) {
        new CostSplit(plan, servers).run(out, progress);
      }
    } finally {
      delete(directory);
    }
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

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
