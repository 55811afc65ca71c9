package dev.redline.bench.redis;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.LatencyChart;
import dev.redline.bench.Medians;
import dev.redline.bench.ProcessorTimes;
import dev.redline.bench.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a run: medians of the rounds, ratios within a round, and the bars.
 *
 * <p>Bars are on processor time. On processors that Redis and the clients share, throughput tends
 * to the inverse of the total processor time, and is far noisier; it is printed without a bar.
 */
final class RedisReport {
  static final double KEYS_BAR = 0.40;
  static final double BANDS_BAR = 0.55;
  static final double IDLE_CPU_BAR = 1.1;
  static final double CLUSTER_64_BAR = 0.67;
  static final double CLUSTER_256_BAR = 0.55;
  static final double REDIS_BAR = 0.50;
  static final double REDIS_BANDS_BAR = 0.75;
  static final double REDIS_LEASED_BAR = 0.1;
  static final double LEASED_PER_SECOND = 1_000_000;
  static final double IDLE_BAR = 1.15;
  static final double P99_MICROS = 10_000;

  /** The command time-out of the open loop, and what an answer may take longer. */
  static final double ANSWERED_MICROS = 50_000 + 20_000;

  /** The share of decisions that must be as the mix says; a contender below it does not limit. */
  private static final double PURE = 0.99;

  /**
   * One measurement of a contender in a cell.
   *
   * @param sample the result of its JVM
   * @param redisMicros the processor time of Redis per decision
   * @param stolen the part of the processors' time that the hypervisor stole
   */
  private record Turn(Sample sample, double redisMicros, double stolen) {
    boolean isQuiet() {
      return stolen < ProcessorTimes.DISTURBED;
    }

    double totalMicros() {
      return sample.cpuMicros() + redisMicros;
    }
  }

  private final Map<Cell, Map<RedisContender, List<Turn>>> rounds = new EnumMap<>(Cell.class);
  private final Map<Cell, Histogram> latencies = new EnumMap<>(Cell.class);
  private final List<String> failures = new ArrayList<>();
  private final RedisBench.Plan plan;
  private String version = "";
  private final Map<RedisContender, List<Double>> peaks = new EnumMap<>(RedisContender.class);
  private int losses;
  private int repeated;

  RedisReport(RedisBench.Plan plan) {
    this.plan = plan;
  }

  /** Sets the version of Redis. */
  void on(String redisVersion) {
    version = redisVersion;
  }

  /** Adds a measurement; round 0 is the warm-up. */
  void add(
      Cell cell,
      RedisContender contender,
      int round,
      Sample sample,
      double redisMicros,
      double stolen) {
    if (cell == Cell.KEYS_256) {
      peaks.computeIfAbsent(contender, absent -> new ArrayList<>()).add(sample.perSecond());
    }
    if (round == 0) {
      return;
    }
    if (sample.failures() > 0) {
      failures.add(
          String.format(
              Locale.ROOT,
              "%s, %s, round %d: %d of %d without a decision, %.1f %% of the time stolen",
              contender.title(),
              cell.title(),
              round,
              sample.failures(),
              sample.failures() + sample.decisions(),
              stolen * 100));
    }
    double passed = (double) sample.passed() / Math.max(1, sample.decisions());
    if ((cell.population().mix() == BucketPopulation.Mix.ALLOW ? passed : 1 - passed) < PURE) {
      throw new IllegalStateException(
          contender.title() + " does not limit as configured in " + cell.title() + ": " + sample);
    }
    if (cell.load() == Cell.Load.OPEN && contender == RedisContender.REDLINE) {
      latencies.computeIfAbsent(cell, absent -> Sample.histogram()).add(sample.latencies());
    }
    rounds
        .computeIfAbsent(cell, absent -> new EnumMap<>(RedisContender.class))
        .computeIfAbsent(contender, absent -> new ArrayList<>())
        .add(new Turn(sample, redisMicros, stolen));
  }

  /** Counts a measurement of an open loop that was repeated because time was stolen from it. */
  void addRepeated() {
    repeated++;
  }

  /** Returns the median peak so far of a contender's decisions per second; one alone is noise. */
  double peak(RedisContender contender) {
    List<Double> measured = peaks.get(contender);
    if (measured == null) {
      throw new BenchUsageException("the cells open-… need the cell keys-256 before them");
    }
    return Medians.of(measured);
  }

  /** Returns whether latencies were measured that can be drawn. */
  boolean hasChart() {
    return !latencies.isEmpty();
  }

  /** Returns the latencies of the open loops as the text of an SVG file. */
  String chart() {
    LatencyChart chart = new LatencyChart("Latency on Redis, open loop, by part of the peak");
    latencies.forEach(
        (cell, all) ->
            chart.add(String.format(Locale.ROOT, "%.0f %%", 100 * cell.partOfPeak()), all));
    return chart.svg();
  }

  private boolean has(Cell cell, RedisContender contender) {
    return rounds.getOrDefault(cell, Map.of()).containsKey(contender);
  }

  private List<Double> values(Cell cell, RedisContender contender, ToDoubleFunction<Turn> what) {
    return Objects.requireNonNull(rounds.getOrDefault(cell, Map.of()).get(contender)).stream()
        .map(what::applyAsDouble)
        .toList();
  }

  /** Returns the rounds that bars judge: those without stolen time, if most were; else all. */
  private List<Turn> judged(Cell cell) {
    List<Turn> all =
        Objects.requireNonNull(rounds.getOrDefault(cell, Map.of()).get(RedisContender.REDLINE));
    List<Turn> quiet = all.stream().filter(Turn::isQuiet).toList();
    return 2 * quiet.size() > all.size() ? quiet : all;
  }

  private double median(Cell cell, ToDoubleFunction<Turn> what) {
    return Medians.of(judged(cell).stream().map(what::applyAsDouble).toList());
  }

  private double sum(Cell cell, ToDoubleFunction<Turn> what) {
    return judged(cell).stream().mapToDouble(what).sum();
  }

  private double max(Cell cell, ToDoubleFunction<Turn> what) {
    return judged(cell).stream().mapToDouble(what).max().orElse(0);
  }

  /** Returns the median over the rounds of Redline's figure as a multiple of the plain calls'. */
  private @Nullable Double toFloor(Cell cell, ToDoubleFunction<Turn> what) {
    return toFloor(cell, cell.base(), what);
  }

  /** Returns the ratio to the plain calls of a cell. */
  private @Nullable Double toFloor(Cell cell, Cell base, ToDoubleFunction<Turn> what) {
    if (!has(cell, RedisContender.REDLINE) || !has(base, RedisContender.FLOOR)) {
      return null;
    }
    List<Double> own = values(cell, RedisContender.REDLINE, what);
    List<Double> others = values(base, RedisContender.FLOOR, what);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < own.size(); round++) {
      ratios.add(own.get(round) / others.get(round));
    }
    return Medians.of(ratios);
  }

  void print(PrintStream out) {
    out.printf(
        Locale.ROOT,
        "Redis %s on the same %d processors, %s %s; medians of %d round(s) of %d ms%n",
        version,
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.vm.name"),
        Runtime.version(),
        plan.rounds(),
        plan.measure().toMillis());
    out.println("Ratios are to one plain EVALSHA per decision, of one band, in the same round.");
    out.println("An open loop drives each contender at a part of its own peak.");
    table(
        out,
        "Total processor time of client and Redis, µs per decision",
        Turn::totalMicros,
        "%.2f",
        this::totalBars);
    table(
        out,
        "Processor time of Redis, µs per decision",
        Turn::redisMicros,
        "%.2f",
        this::redisBars);
    table(out, "Decisions per second", turn -> turn.sample.perSecond(), "%.0f", this::rateBars);
    latencies(out);
    out.println();
    failures.forEach(out::println);
    for (Cell cell : latencies.keySet()) {
      out.printf(
          Locale.ROOT,
          "%s: %d of %d rounds without stolen time%n",
          cell.title(),
          values(cell, RedisContender.REDLINE, turn -> turn.isQuiet() ? 1 : 0).stream()
              .filter(quiet -> quiet == 1)
              .count(),
          values(cell, RedisContender.REDLINE, turn -> 1).size());
    }
    if (hasChart()) {
      out.printf(
          Locale.ROOT,
          "%d open loop(s) were repeated because the hypervisor stole %.0f %% or more of the"
              + " processors' time. If most rounds had none stolen, bars judge only these.%n",
          repeated,
          ProcessorTimes.DISTURBED * 100);
    }
    out.println(losses == 0 ? "Every cell meets its bar." : losses + " bar(s) are missed.");
    if (plan.rounds() < 3) {
      out.println("Fewer than three rounds: an indication, not a result.");
    }
  }

  private Bars totalBars(Cell cell) {
    Double ratio = toFloor(cell, Turn::totalMicros);
    Bars bars = new Bars();
    return switch (cell) {
      case KEYS_64, KEYS_256 -> bars.atMost(KEYS_BAR, ratio, "EVALSHA");
      case BANDS_64, BANDS_256 -> bars.atMost(BANDS_BAR, ratio, "EVALSHA");
      case IDLE -> bars.atMost(IDLE_CPU_BAR, ratio, "EVALSHA");
      case CLUSTER_64 -> bars.atMost(CLUSTER_64_BAR, ratio, "EVALSHA");
      case CLUSTER_256 -> bars.atMost(CLUSTER_256_BAR, ratio, "EVALSHA");
      default -> bars;
    };
  }

  private Bars redisBars(Cell cell) {
    Double ratio = toFloor(cell, Turn::redisMicros);
    Bars bars = new Bars();
    return switch (cell) {
      case KEYS_64, KEYS_256 -> bars.atMost(REDIS_BAR, ratio, "EVALSHA");
      case BANDS_64, BANDS_256 -> bars.atMost(REDIS_BANDS_BAR, ratio, "EVALSHA");
      case LEASED_HOT, LEASED_ZIPF -> bars.atMost(REDIS_LEASED_BAR, ratio, "EVALSHA");
      default -> bars;
    };
  }

  private Bars rateBars(Cell cell) {
    if (cell.load() != Cell.Load.LEASED) {
      return new Bars();
    }
    double rate = median(cell, turn -> turn.sample.perSecond());
    return new Bars()
        .must(
            "≥ 1M/s", rate >= LEASED_PER_SECOND, String.format(Locale.ROOT, "%.2fM/s", rate / 1e6));
  }

  private void table(
      PrintStream out,
      String title,
      ToDoubleFunction<Turn> what,
      String format,
      Function<Cell, Bars> barsOf) {
    Table table = emptyTable(title);
    for (Cell cell : rounds.keySet()) {
      Double ratio = toFloor(cell, what);
      add(table, row(cell, cell.title(), what, format), ratio, barsOf.apply(cell));
    }
    out.println();
    table.print(out);
  }

  private void add(Table table, List<String> row, @Nullable Double ratio, Bars bars) {
    losses += bars.isMissed() ? 1 : 0;
    row.add(ratio == null ? "" : Bars.two(ratio));
    row.add(bars.text());
    row.add(bars.verdict());
    table.add(row);
  }

  private void latencies(PrintStream out) {
    Table table = emptyTable("Latency, µs; of open loops from the intended start of a call");
    ToDoubleFunction<Turn> p50 = turn -> turn.sample.p50Micros();
    ToDoubleFunction<Turn> p99 = turn -> turn.sample.p99Micros();
    ToDoubleFunction<Turn> longest = turn -> turn.sample.longestMicros();
    for (Cell cell : rounds.keySet()) {
      boolean timed =
          cell == Cell.IDLE || cell.load() == Cell.Load.OPEN || cell.load() == Cell.Load.LEASED;
      if (!timed) {
        continue;
      }
      Double ratio = toFloor(cell, cell, p50);
      Bars typical = new Bars();
      if (cell == Cell.IDLE) {
        typical.atMost(IDLE_BAR, ratio, "EVALSHA");
      }
      add(table, row(cell, cell.title() + ", p50", p50, "%.1f"), ratio, typical);
      add(
          table,
          row(cell, cell.title() + ", p99", p99, "%.1f"),
          toFloor(cell, cell, p99),
          p99Bars(cell));
      if (cell.load() == Cell.Load.OPEN) {
        String title = cell.title() + ", longest from the call";
        add(
            table,
            row(cell, title, longest, "%.0f"),
            toFloor(cell, cell, longest),
            longestBars(cell));
      }
    }
    out.println();
    table.print(out);
  }

  private Bars p99Bars(Cell cell) {
    Bars bars = new Bars();
    double p99 = median(cell, turn -> turn.sample.p99Micros());
    if (cell == Cell.OPEN_60 || cell.load() == Cell.Load.LEASED) {
      bars.must("< 10 ms", p99 < P99_MICROS, "10 ms");
    }
    if (cell == Cell.OPEN_60) {
      double undecided = sum(cell, turn -> turn.sample.failures());
      bars.must(
          "all decided",
          undecided == 0,
          String.format(Locale.ROOT, "%.0f without a decision", undecided));
    }
    return bars;
  }

  private Bars longestBars(Cell cell) {
    return cell == Cell.OPEN_80
        ? new Bars()
            .must(
                "≤ 70 ms",
                max(cell, turn -> turn.sample.longestMicros()) <= ANSWERED_MICROS,
                "later than time-out + 20 ms")
        : new Bars();
  }

  private static Table emptyTable(String what) {
    List<String> header = new ArrayList<>(List.of(what));
    for (RedisContender contender : RedisContender.values()) {
      header.add(contender.title());
    }
    header.addAll(List.of("spread", "ratio", "bars", "verdict"));
    return new Table(header);
  }

  private List<String> row(Cell cell, String title, ToDoubleFunction<Turn> what, String format) {
    List<String> row = new ArrayList<>(List.of(title));
    for (RedisContender contender : RedisContender.values()) {
      row.add(
          has(cell, contender)
              ? String.format(Locale.ROOT, format, Medians.of(values(cell, contender, what)))
              : "");
    }
    double spread = Medians.spread(values(cell, RedisContender.REDLINE, what));
    row.add(String.format(Locale.ROOT, "%.0f %%", spread * 100));
    return row;
  }
}
