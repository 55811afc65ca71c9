package dev.redline.bench.local;

import dev.redline.bench.Medians;
import dev.redline.bench.Table;
import dev.redline.bench.local.Measurement.Cell;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The tables of a run: medians of the rounds, ratios within a round, and the bars. */
final class LocalReport {
  static final double FLOOR_BAR = 1.5;
  static final double HEAP_BAR = 100;
  static final double RULES_BAR = 2;

  /** The bound below which nothing is allocated: one object in ten thousand decisions. */
  private static final double NO_ALLOCATION = 0.01;

  private final Map<Cell, List<Measurement>> rounds = new HashMap<>();
  private final LocalBench.Plan plan;
  private int losses;

  LocalReport(LocalBench.Plan plan) {
    this.plan = plan;
  }

  void add(Measurement measurement) {
    rounds.computeIfAbsent(measurement.cell(), cell -> new ArrayList<>()).add(measurement);
  }

  private List<Measurement> of(Cell cell) {
    return Objects.requireNonNull(rounds.get(cell), () -> "not measured: " + cell);
  }

  private List<Double> nanos(Cell cell) {
    return of(cell).stream().map(Measurement::nanos).toList();
  }

  private double bytes(Cell cell) {
    return of(cell).stream().mapToDouble(Measurement::bytes).max().orElseThrow();
  }

  /** Returns the median over the rounds of one cell's time as a multiple of another's. */
  private double ratio(Cell cell, Cell other) {
    List<Double> times = nanos(cell);
    List<Double> others = nanos(other);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < times.size(); round++) {
      ratios.add(times.get(round) / others.get(round));
    }
    return Medians.of(ratios);
  }

  void print(PrintStream out) {
    out.println(machine());
    decisions(out);
    answers(out);
    heap(out);
    rules(out);
    out.println();
    out.println(losses == 0 ? "Every cell meets its bar." : losses + " cell(s) miss their bar.");
    if (plan.rounds() < 3) {
      out.println("Fewer than three rounds: an indication, not a result.");
    }
  }

  private String machine() {
    return String.format(
        Locale.ROOT,
        "%s, %d processors, %s %s; medians of %d round(s), %s time",
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.vm.name"),
        Runtime.version(),
        plan.rounds(),
        plan.cpuTime() ? "processor" : "elapsed");
  }

  private static List<Cell> cells(LocalContender contender) {
    List<Cell> cells = new ArrayList<>();
    for (int keys : new int[] {LocalBench.FEW_KEYS, LocalBench.MANY_KEYS}) {
      for (int threads : new int[] {1, 2}) {
        for (Mix mix : Mix.values()) {
          cells.add(new Cell(contender.name(), keys, threads, mix));
        }
      }
    }
    return cells;
  }

  private static String name(Cell cell) {
    String keys = cell.keys() == LocalBench.MANY_KEYS ? "1M" : "10k";
    return keys + " keys, " + cell.threads() + " thr, " + cell.mix();
  }

  private void decisions(PrintStream out) {
    out.println();
    out.println("One decision, allowed or denied: ns per decision and thread");
    List<String> header = new ArrayList<>(List.of("cell"));
    LocalContender.deciding().forEach(contender -> header.add(contender.title()));
    header.addAll(List.of("× floor", "× B4j lock-free", "× B4j sync", "spread", "B/op", "verdict"));
    Table table = new Table(header);
    for (Cell redline : cells(LocalContender.REDLINE_STORE)) {
      double toFloor = ratio(redline, redline.of(LocalContender.FLOOR));
      double toLockFree = ratio(redline, redline.of(LocalContender.BUCKET4J_LOCK_FREE));
      double toSynchronized = ratio(redline, redline.of(LocalContender.BUCKET4J_SYNCHRONIZED));
      List<String> missed = new ArrayList<>();
      miss(missed, toFloor > FLOOR_BAR, "floor");
      miss(missed, toLockFree >= 1, "B4j lock-free");
      miss(missed, toSynchronized >= 1, "B4j sync");
      miss(missed, bytes(redline) >= NO_ALLOCATION, "B/op");
      List<String> row = times(redline, LocalContender.deciding());
      row.addAll(
          List.of(
              two(toFloor),
              two(toLockFree),
              two(toSynchronized),
              spread(redline),
              two(bytes(redline)),
              verdict(missed)));
      table.add(row);
    }
    table.print(out);
    out.println(
        "Bars: at most 1.5 × the floor, below 1 × both Bucket4j variants, 0 B/op. Heap allocated"
            + " by the others, 10k keys, 1 thread, allow: "
            + allocations(LocalContender.deciding()));
  }

  private void answers(PrintStream out) {
    out.println();
    out.println("One result with remaining, wait and reset: ns per decision and thread");
    List<String> header = new ArrayList<>(List.of("cell"));
    LocalContender.answering().forEach(contender -> header.add(contender.title()));
    header.addAll(List.of("× B4j lock-free", "× B4j sync", "spread", "B/op", "verdict"));
    Table table = new Table(header);
    for (Cell redline : cells(LocalContender.REDLINE_ALLOW)) {
      double toLockFree = ratio(redline, redline.of(LocalContender.BUCKET4J_LOCK_FREE_PROBE));
      double toSynchronized =
          ratio(redline, redline.of(LocalContender.BUCKET4J_SYNCHRONIZED_PROBE));
      List<String> missed = new ArrayList<>();
      miss(missed, toLockFree >= 1, "B4j lock-free");
      miss(missed, toSynchronized >= 1, "B4j sync");
      List<String> row = times(redline, LocalContender.answering());
      row.addAll(
          List.of(
              two(toLockFree),
              two(toSynchronized),
              spread(redline),
              two(bytes(redline)),
              verdict(missed)));
      table.add(row);
    }
    table.print(out);
    out.println(
        "Bar: below 1 × both Bucket4j variants. B/op, 10k keys, 1 thread, allow: "
            + allocations(LocalContender.answering()));
  }

  private List<String> times(Cell cell, List<LocalContender> contenders) {
    List<String> row = new ArrayList<>(List.of(name(cell)));
    for (LocalContender contender : contenders) {
      row.add(one(Medians.of(nanos(cell.of(contender)))));
    }
    return row;
  }

  private String allocations(List<LocalContender> contenders) {
    List<String> texts = new ArrayList<>();
    for (LocalContender contender : contenders) {
      Cell cell = new Cell(contender.name(), LocalBench.FEW_KEYS, 1, Mix.ALLOW);
      texts.add(contender.title() + " " + one(bytes(cell)));
    }
    return String.join(", ", texts);
  }

  private void heap(PrintStream out) {
    out.println();
    out.println("Heap per key at 1M keys of one band, beyond the key's name");
    Table table = new Table(List.of("limiter", "B/key", "verdict"));
    for (LocalContender contender : LocalContender.deciding()) {
      double perKey =
          bytes(new Cell("heap-" + contender.name(), LocalBench.MANY_KEYS, 1, Mix.DENY));
      List<String> missed = new ArrayList<>();
      boolean own = contender == LocalContender.REDLINE_STORE;
      miss(missed, own && perKey > HEAP_BAR, "100 B");
      table.add(List.of(contender.title(), one(perKey), own ? verdict(missed) : ""));
    }
    table.print(out);
  }

  private void rules(PrintStream out) {
    out.println();
    out.println("check(request), requests spread over all rules, 10k buckets: ns per decision");
    Table table =
        new Table(List.of("threads", "10 rules", "10,000 rules", "ratio", "B/op", "verdict"));
    for (int threads : new int[] {1, 2}) {
      Cell few = checks(LocalBench.FEW_RULES, threads);
      Cell many = checks(LocalBench.MANY_RULES, threads);
      List<String> missed = new ArrayList<>();
      miss(missed, ratio(many, few) > RULES_BAR, "2 ×");
      table.add(
          List.of(
              Integer.toString(threads),
              one(Medians.of(nanos(few))),
              one(Medians.of(nanos(many))),
              two(ratio(many, few)),
              one(bytes(many)),
              verdict(missed)));
    }
    table.print(out);
  }

  private static Cell checks(int rules, int threads) {
    return new Cell("check-" + rules, LocalBench.FEW_KEYS, threads, Mix.ALLOW);
  }

  private static void miss(List<String> missed, boolean isMissed, String bar) {
    if (isMissed) {
      missed.add(bar);
    }
  }

  private String verdict(List<String> missed) {
    if (missed.isEmpty()) {
      return "WIN";
    }
    losses++;
    return "LOSS " + String.join(", ", missed);
  }

  private String spread(Cell cell) {
    return String.format(Locale.ROOT, "%.0f %%", Medians.spread(nanos(cell)) * 100);
  }

  private static String one(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
