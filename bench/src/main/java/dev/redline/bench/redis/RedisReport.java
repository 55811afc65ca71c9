package dev.redline.bench.redis;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The tables of a run: medians of the rounds, ratios within a round, and the bars. */
final class RedisReport {
  static final double KEYS_BAR = 2.5;
  static final double HOT_BAR = 3;
  static final double BATCHING_BAR = 1;
  static final double CLIENTS_BAR = 0.7;
  static final double DENIED_BAR = 50;
  static final double CLUSTER_BAR = 1.5;
  static final double CPU_BAR = 0.55;
  static final double BANDS_CPU_BAR = 0.75;
  static final double IDLE_BAR = 1.15;
  static final double OPEN_BAR_MICROS = 10_000;

  /** The share of decisions that must be as the mix says; a contender below it does not limit. */
  private static final double PURE = 0.99;

  /**
   * One measurement of a contender in a cell.
   *
   * @param sample the result of its JVM
   * @param cpuMicros the processor time of Redis per decision
   */
  private record Turn(Sample sample, double cpuMicros) {}

  private final Map<Cell, Map<RedisContender, List<Turn>>> rounds = new EnumMap<>(Cell.class);
  private final List<String> failures = new ArrayList<>();
  private final RedisBench.Plan plan;
  private String version = "";
  private double peak;
  private int losses;

  RedisReport(RedisBench.Plan plan) {
    this.plan = plan;
  }

  /** Sets the version of Redis. */
  void on(String redisVersion) {
    version = redisVersion;
  }

  /** Adds a measurement; round 0 is the warm-up. */
  void add(Cell cell, RedisContender contender, int round, Sample sample, double cpuMicros) {
    if (cell == Cell.KEYS_256 && contender == RedisContender.REDLINE) {
      peak = sample.perSecond();
    }
    if (round == 0) {
      return;
    }
    if (sample.failures() > 0) {
      failures.add(
          String.format(
              Locale.ROOT,
              "%s, %s, round %d: %d of %d without a decision",
              contender.title(),
              cell.title(),
              round,
              sample.failures(),
              sample.failures() + sample.decisions()));
    }
    double passed = (double) sample.passed() / Math.max(1, sample.decisions());
    if ((cell.population().mix() == BucketPopulation.Mix.ALLOW ? passed : 1 - passed) < PURE) {
      throw new IllegalStateException(
          contender.title() + " does not limit as configured in " + cell.title() + ": " + sample);
    }
    rounds
        .computeIfAbsent(cell, absent -> new EnumMap<>(RedisContender.class))
        .computeIfAbsent(contender, absent -> new ArrayList<>())
        .add(new Turn(sample, cpuMicros));
  }

  /** Returns the last peak of Redline's decisions per second. */
  double peak() {
    if (peak == 0) {
      throw new BenchUsageException("the cell open needs the cell keys-256 before it");
    }
    return peak;
  }

  private boolean has(Cell cell, RedisContender contender) {
    return rounds.getOrDefault(cell, Map.of()).containsKey(contender);
  }

  private List<Double> values(Cell cell, RedisContender contender, ToDoubleFunction<Turn> what) {
    return Objects.requireNonNull(rounds.getOrDefault(cell, Map.of()).get(contender)).stream()
        .map(what::applyAsDouble)
        .toList();
  }

  /** Returns the median over the rounds of Redline's figure as a multiple of another's. */
  private @Nullable Double ratio(
      Cell cell, Cell otherCell, RedisContender other, ToDoubleFunction<Turn> what) {
    if (!has(cell, RedisContender.REDLINE) || !has(otherCell, other)) {
      return null;
    }
    List<Double> own = values(cell, RedisContender.REDLINE, what);
    List<Double> others = values(otherCell, other, what);
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
    rates(out);
    processor(out);
    latencies(out);
    out.println();
    failures.forEach(out::println);
    out.println(losses == 0 ? "Every cell meets its bar." : losses + " bar(s) are missed.");
    if (plan.rounds() < 3) {
      out.println("Fewer than three rounds: an indication, not a result.");
    }
  }

  private void rates(PrintStream out) {
    ToDoubleFunction<Turn> rate = turn -> turn.sample.perSecond();
    Table table =
        table("decisions/s", List.of("× plain EVALSHA", "× Bucket4j batching", "bars", "verdict"));
    for (Cell cell : rounds.keySet()) {
      if (cell == Cell.IDLE || cell == Cell.OPEN) {
        continue;
      }
      Cell base = cell == Cell.BANDS_64 ? Cell.KEYS_64 : cell;
      base = cell == Cell.BANDS_256 ? Cell.KEYS_256 : base;
      base = cell == Cell.CLIENTS ? Cell.HOT_64 : base;
      Double toFloor = ratio(cell, base, RedisContender.FLOOR, rate);
      Double toBatching = ratio(cell, base, RedisContender.BUCKET4J_BATCHING, rate);
      List<String> bars = new ArrayList<>();
      List<String> missed = new ArrayList<>();
      switch (cell) {
        case KEYS_64, KEYS_256 -> atLeast(bars, missed, KEYS_BAR, toFloor, "EVALSHA");
        case HOT_64, HOT_256 -> {
          atLeast(bars, missed, HOT_BAR, toFloor, "EVALSHA");
          atLeast(bars, missed, BATCHING_BAR, toBatching, "batching");
        }
        case CLIENTS ->
            atLeast(
                bars,
                missed,
                CLIENTS_BAR,
                ratio(cell, Cell.HOT_64, RedisContender.REDLINE, rate),
                "one client");
        case DENIED -> atLeast(bars, missed, DENIED_BAR, toFloor, "EVALSHA");
        case CLUSTER_64, CLUSTER_256 -> atLeast(bars, missed, CLUSTER_BAR, toFloor, "EVALSHA");
        default -> {}
      }
      List<String> row = row(cell, rate, "%.0f");
      row.add(toFloor == null ? "" : two(toFloor));
      row.add(toBatching == null ? "" : two(toBatching));
      row.add(String.join(", ", bars));
      row.add(verdict(bars, missed));
      table.add(row);
    }
    out.println();
    out.println("Decisions per second");
    table.print(out);
  }

  private void processor(PrintStream out) {
    Table table = table("Redis CPU, µs/decision", List.of("× plain EVALSHA", "bars", "verdict"));
    for (Cell cell : rounds.keySet()) {
      boolean banded = cell == Cell.BANDS_64 || cell == Cell.BANDS_256;
      if (!banded && cell != Cell.KEYS_64 && cell != Cell.KEYS_256) {
        continue;
      }
      Cell base = cell == Cell.BANDS_64 ? Cell.KEYS_64 : cell;
      base = cell == Cell.BANDS_256 ? Cell.KEYS_256 : base;
      Double toFloor = ratio(cell, base, RedisContender.FLOOR, Turn::cpuMicros);
      List<String> bars = new ArrayList<>();
      List<String> missed = new ArrayList<>();
      atMost(bars, missed, banded ? BANDS_CPU_BAR : CPU_BAR, toFloor, "EVALSHA");
      List<String> row = row(cell, Turn::cpuMicros, "%.2f");
      row.add(toFloor == null ? "" : two(toFloor));
      row.add(String.join(", ", bars));
      row.add(verdict(bars, missed));
      table.add(row);
    }
    out.println();
    out.println("Redis' processor time; 3 bands are compared with plain calls of one");
    table.print(out);
  }

  private void latencies(PrintStream out) {
    Table table = table("latency, µs", List.of("× plain EVALSHA", "bars", "verdict"));
    ToDoubleFunction<Turn> p50 = turn -> turn.sample.p50Micros();
    ToDoubleFunction<Turn> p99 = turn -> turn.sample.p99Micros();
    if (rounds.containsKey(Cell.IDLE)) {
      Double toFloor = ratio(Cell.IDLE, Cell.IDLE, RedisContender.FLOOR, p50);
      List<String> bars = new ArrayList<>();
      List<String> missed = new ArrayList<>();
      atMost(bars, missed, IDLE_BAR, toFloor, "EVALSHA");
      table.add(latency(Cell.IDLE, "p50", p50, toFloor, bars, missed));
      table.add(
          latency(
              Cell.IDLE,
              "p99",
              p99,
              ratio(Cell.IDLE, Cell.IDLE, RedisContender.FLOOR, p99),
              List.of(),
              List.of()));
    }
    if (rounds.containsKey(Cell.OPEN)) {
      List<String> missed = new ArrayList<>();
      if (Medians.of(values(Cell.OPEN, RedisContender.REDLINE, p99)) >= OPEN_BAR_MICROS) {
        missed.add("10 ms");
      }
      table.add(latency(Cell.OPEN, "p50", p50, null, List.of(), List.of()));
      table.add(latency(Cell.OPEN, "p99", p99, null, List.of("< 10 ms"), missed));
    }
    out.println();
    out.println("Latency; of the open loop from the intended start of a call");
    table.print(out);
  }

  private List<String> latency(
      Cell cell,
      String which,
      ToDoubleFunction<Turn> what,
      @Nullable Double ratio,
      List<String> bars,
      List<String> missed) {
    List<String> row = row(cell, what, "%.0f");
    row.set(0, cell.title() + ", " + which);
    row.add(ratio == null ? "" : two(ratio));
    row.add(String.join(", ", bars));
    row.add(verdict(bars, missed));
    return row;
  }

  private static Table table(String what, List<String> more) {
    List<String> header = new ArrayList<>(List.of(what));
    for (RedisContender contender : RedisContender.values()) {
      header.add(contender.title());
    }
    header.add("spread");
    header.addAll(more);
    return new Table(header);
  }

  private List<String> row(Cell cell, ToDoubleFunction<Turn> what, String format) {
    List<String> row = new ArrayList<>(List.of(cell.title()));
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

  private static void atLeast(
      List<String> bars, List<String> missed, double bar, @Nullable Double ratio, String of) {
    bars.add("≥ " + two(bar) + " × " + of);
    if (ratio == null || ratio < bar) {
      missed.add(of + (ratio == null ? " not measured" : " " + two(ratio)));
    }
  }

  private static void atMost(
      List<String> bars, List<String> missed, double bar, @Nullable Double ratio, String of) {
    bars.add("≤ " + two(bar) + " × " + of);
    if (ratio == null || ratio > bar) {
      missed.add(of + (ratio == null ? " not measured" : " " + two(ratio)));
    }
  }

  private String verdict(List<String> bars, List<String> missed) {
    if (bars.isEmpty()) {
      return "";
    }
    if (missed.isEmpty()) {
      return "WIN";
    }
    losses++;
    return "LOSS " + String.join(", ", missed);
  }

  private static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
