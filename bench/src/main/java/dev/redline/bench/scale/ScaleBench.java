package dev.redline.bench.scale;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.scale.ScaleScenario.Faults;
import dev.redline.bench.scale.ScaleScenario.Keys;
import dev.redline.bench.scale.ScaleScenario.Leasing;
import dev.redline.bench.scale.ScaleScenario.Load;
import dev.redline.bench.scale.ScaleScenario.Network;
import dev.redline.bench.scale.ScaleScenario.Times;
import dev.redline.core.limit.RateLimitBand;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Simulates nodes that share limits on Redis. Lanes, leases and deny cache are the real code; time,
 * network and processors are not.
 */
public final class ScaleBench {
  private static final double TARGET_LOAD = 0.6;
  private static final RateLimitBand AMPLE =
      RateLimitBand.of(10_000_000, 10_000_000, Duration.ofSeconds(1));
  private static final int SIZING_STEPS = 2;
  private static final Duration SIZING_WARM_UP = Duration.ofMillis(40);
  private static final Duration SIZING_MEASURED = Duration.ofMillis(40);

  private final Map<String, ScaleScenario> scenarios;
  private final boolean fixedMasters;

  private ScaleBench(Map<String, ScaleScenario> scenarios, boolean fixedMasters) {
    this.scenarios = scenarios;
    this.fixedMasters = fixedMasters;
  }

  /** Reads the options, which the usage describes. */
  public static ScaleBench parse(List<String> arguments) {
    ScaleScenario base = ScaleScenario.DEFAULT;
    List<Integer> nodes = List.of();
    boolean fixed = false;
    Iterator<String> words = arguments.iterator();
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "--no-leases" -> base = base.with(Leasing.OFF);
        case "--without-decay" -> base = base.with(Leasing.WITHOUT_DECAY);
        default -> {
          if (!word.startsWith("--") || !words.hasNext()) {
            throw new BenchUsageException("bench scale does not know " + word);
          }
          String value = words.next();
          if (word.equals("--nodes")) {
            nodes = nodes(value);
          } else {
            fixed |= word.equals("--masters");
            base = option(base, word, value);
          }
        }
      }
    }
    Map<String, ScaleScenario> scenarios = new LinkedHashMap<>();
    if (nodes.isEmpty()) {
      suite(base, scenarios);
    } else {
      for (int count : nodes) {
        scenarios.put(name(count), base.withNodes(count));
      }
    }
    for (ScaleScenario each : scenarios.values()) {
      Load load = each.load();
      if (!load.isClosedLoop() && load.perSecond() > ScaleScenario.MAX_DECISIONS) {
        throw new BenchUsageException(
            "nodes × rate must be at most "
                + ScaleScenario.MAX_DECISIONS
                + " decisions per second, was "
                + load.perSecond());
      }
    }
    return new ScaleBench(scenarios, fixed);
  }

  private static String name(int nodes) {
    return nodes == 1 ? "1 node" : nodes + " nodes";
  }

  private static void suite(ScaleScenario base, Map<String, ScaleScenario> to) {
    for (int count : new int[] {1, 10, 100, 1000}) {
      to.put(name(count), base.withNodes(count));
    }
    ScaleScenario all = base.withNodes(1000);
    Keys keys = base.keys();
    to.put("1000 nodes, no leases", all.with(Leasing.OFF));
    to.put(
        "1000 nodes, limits never reached",
        all.with(new Keys(keys.count(), keys.zipf(), Optional.of(AMPLE))));
    to.put("1000 nodes, Zipf 0.9", all.with(new Keys(keys.count(), 0.9, keys.limit())));
    to.put("1000 nodes, Zipf 1.2", all.with(new Keys(keys.count(), 1.2, keys.limit())));
    to.put("1000 nodes, 20 crashes/s", all.with(new Faults(1, 20)));
    to.put("1000 nodes, a master 4 × slower", all.with(new Faults(4, 0)));
  }

  private static List<Integer> nodes(String text) {
    List<Integer> nodes = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      nodes.add((int) number("--nodes", each, 1, ScaleScenario.MAX_NODES));
    }
    return nodes;
  }

  private static ScaleScenario option(ScaleScenario base, String name, String text) {
    Load load = base.load();
    Keys keys = base.keys();
    Faults faults = base.faults();
    Network network = base.network();
    Times times = base.times();
    CallCosts c = base.costs();
    return switch (name) {
      case "--rate" ->
          base.with(new Load(load.nodes(), (int) number(name, text, 1, 1e7), 0, load.surge()));
      case "--outstanding" ->
          base.with(new Load(load.nodes(), load.rate(), (int) number(name, text, 1, 10_000), 1));
      case "--surge" ->
          base.with(
              new Load(load.nodes(), load.rate(), load.outstanding(), number(name, text, 1, 1000)));
      case "--keys" ->
          base.with(new Keys((int) number(name, text, 1, 2e6), keys.zipf(), keys.limit()));
      case "--zipf" -> base.with(new Keys(keys.count(), number(name, text, 0, 3), keys.limit()));
      case "--limit" -> base.with(new Keys(keys.count(), keys.zipf(), Optional.of(limit(text))));
      case "--masters" -> base.withMasters((int) number(name, text, 1, ScaleScenario.MAX_MASTERS));
      case "--slow" -> base.with(new Faults(number(name, text, 1, 1000), faults.crashes()));
      case "--crashes" -> base.with(new Faults(faults.slowFactor(), number(name, text, 0, 1000)));
      case "--round-trip" -> base.with(new Network(micros(name, text), network.jitter()));
      case "--jitter" -> base.with(new Network(network.roundTrip(), micros(name, text)));
      case "--redis-call" ->
          base.with(
              new CallCosts(cost(name, text), c.redisBucket(), c.nodeCall(), c.nodeDecision()));
      case "--redis-bucket" ->
          base.with(new CallCosts(c.redisCall(), cost(name, text), c.nodeCall(), c.nodeDecision()));
      case "--node-call" ->
          base.with(
              new CallCosts(c.redisCall(), c.redisBucket(), cost(name, text), c.nodeDecision()));
      case "--node-decision" ->
          base.with(new CallCosts(c.redisCall(), c.redisBucket(), c.nodeCall(), cost(name, text)));
      case "--warm-up" -> base.with(new Times(millis(name, text), times.measured()));
      case "--measure" -> base.with(new Times(times.warmUp(), millis(name, text)));
      case "--seed" -> base.withSeed((long) number(name, text, 0, 1e15));
      default -> throw new BenchUsageException("bench scale does not know " + name);
    };
  }

  private static double number(String name, String text, double least, double most) {
    try {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number out of range.
    }
    throw new BenchUsageException(
        String.format(
            Locale.ROOT, "%s must be a number from %.0f to %.0f, was %s", name, least, most, text));
  }

  private static double cost(String name, String text) {
    return number(name, text, 0, 1e6);
  }

  private static Duration micros(String name, String text) {
    return Duration.ofNanos((long) (1000 * number(name, text, 0, 1e6)));
  }

  private static Duration millis(String name, String text) {
    return Duration.ofMillis((long) number(name, text, 1, 600_000));
  }

  private static RateLimitBand limit(String text) {
    try {
      return RateLimitBand.parse(text);
    } catch (IllegalArgumentException e) {
      throw new BenchUsageException("--limit: " + e.getMessage());
    }
  }

  /** Runs all simulations and prints the tables; returns 1 if a bucket allowed too much, else 0. */
  public int run(PrintStream out, PrintStream progress) {
    long start = System.nanoTime();
    ScaleReport report = new ScaleReport();
    Map<ScaleScenario, Integer> sizes = new HashMap<>();
    int number = 0;
    for (Map.Entry<String, ScaleScenario> each : scenarios.entrySet()) {
      String title = "[" + ++number + "/" + scenarios.size() + "] " + each.getKey();
      ScaleScenario scenario = each.getValue();
      if (!fixedMasters) {
        // Faults do not change how many masters there are.
        ScaleScenario sound = scenario.with(Faults.NONE);
        Integer known = sizes.get(sound);
        int masters = known == null ? size(title, sound, progress) : known;
        sizes.put(sound, masters);
        scenario = scenario.withMasters(masters);
      }
      String label = title + ", " + masters(scenario.masters());
      report.add(
          each.getKey(), scenario, new ScaleSimulation(scenario).run(lines(label, progress)));
    }
    progress.printf(Locale.ROOT, "took %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    ScaleScenario first = scenarios.values().iterator().next();
    out.printf(
        Locale.ROOT,
        "Simulated: %d ms of time after %d ms of warm-up, %d keys, a round trip of %d µs, seed"
            + " %d%n%n",
        first.times().measured().toMillis(),
        first.times().warmUp().toMillis(),
        first.keys().count(),
        first.network().roundTrip().toNanos() / 1000,
        first.seed());
    report.print(out);
    return report.overAdmissions() == 0 ? 0 : 1;
  }

  private static String masters(int count) {
    return count == 1 ? "1 master" : count + " masters";
  }

  /**
   * Finds how many masters have about the target load on average, by short simulations. Fewer
   * masters have fewer lanes, so batches are larger and the work is less: it starts with enough
   * masters for calls of one acquisition each.
   */
  private static int size(String title, ScaleScenario scenario, PrintStream progress) {
    ScaleScenario sound = scenario.with(new Times(SIZING_WARM_UP, SIZING_MEASURED));
    double alone = scenario.costs().redisNanos(1, 1) / 1e9;
    int masters = needed(scenario.load().perSecond() * alone);
    for (int step = 0; step < SIZING_STEPS; step++) {
      String label = title + ", sizing with " + masters(masters);
      ScaleResult result =
          new ScaleSimulation(sound.withMasters(masters)).run(lines(label, progress));
      int next = needed(result.meanLoad() * masters);
      if (next >= masters) {
        break;
      }
      masters = next;
    }
    return masters;
  }

  private static int needed(double busyMasters) {
    return (int)
        Math.max(1, Math.min(ScaleScenario.MAX_MASTERS, Math.ceil(busyMasters / TARGET_LOAD)));
  }

  /** Prints the progress of one simulation, in steps of a fifth. */
  private static Consumer<Double> lines(String label, PrintStream progress) {
    int[] shown = {-1};
    return part -> {
      int fifth = (int) (5 * part);
      if (fifth > shown[0]) {
        shown[0] = fifth;
        progress.printf(Locale.ROOT, "%s: %d %%%n", label, 20 * fifth);
      }
    };
  }
}
