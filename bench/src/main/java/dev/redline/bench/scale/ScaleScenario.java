package dev.redline.bench.scale;

import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.Optional;

/**
 * What is simulated.
 *
 * @param load what callers want
 * @param keys who they are, and their limit
 * @param leases whether nodes take tokens ahead of demand
 * @param masters how many masters Redis has
 * @param faults what goes wrong
 * @param network how long messages take
 * @param costs what calls cost
 * @param times how long to simulate
 * @param seed of all random numbers
 */
record ScaleScenario(
    Load load,
    Keys keys,
    Leasing leases,
    int masters,
    Faults faults,
    Network network,
    CallCosts costs,
    Times times,
    long seed) {
  static final int MAX_NODES = 1000;
  static final int MAX_MASTERS = 1000;
  static final long MAX_DECISIONS = 10_000_000;

  /**
   * Requests.
   *
   * @param nodes how many processes decide
   * @param rate how many requests each of them gets per second; has no effect in a closed loop
   * @param outstanding in a closed loop, how many decisions of each node are under way; else 0
   * @param surge how many times as many there are for 20 ms in the middle of the measured time
   */
  record Load(int nodes, int rate, int outstanding, double surge) {
    boolean isClosedLoop() {
      return outstanding > 0;
    }

    /** Returns how many requests all nodes get per second. */
    long perSecond() {
      return (long) nodes * rate;
    }
  }

  /**
   * Callers, each with a bucket.
   *
   * @param count how many there are
   * @param zipf the exponent of Zipf's law, by which they are drawn; 0 draws all alike
   * @param limit the limit of each; empty for the demand of the tenth busiest
   */
  record Keys(int count, double zipf, Optional<RateLimitBand> limit) {}

  /** Whether leases are on, and with which rules. */
  enum Leasing {
    OFF,
    ON,
    /** With a mistake: tokens do not expire when refill replaces them, so too much is allowed. */
    WITHOUT_DECAY
  }

  /**
   * What goes wrong.
   *
   * @param slowFactor how many times as long the first master needs for everything
   * @param crashes how many nodes crash per second, each replaced at once by one without any state
   */
  record Faults(double slowFactor, double crashes) {
    static final Faults NONE = new Faults(1, 0);
  }

  /**
   * The network.
   *
   * @param roundTrip the time there and back
   * @param jitter how much longer it takes on average, by an exponential distribution
   */
  record Network(Duration roundTrip, Duration jitter) {}

  /** Simulated time: how long to run before measuring, and how long to measure. */
  record Times(Duration warmUp, Duration measured) {}

  /** 1 node with 10,000 decisions per second on one master. */
  static final ScaleScenario DEFAULT =
      new ScaleScenario(
          new Load(1, 10_000, 0, 1),
          new Keys(1_000_000, 1.0, Optional.empty()),
          Leasing.ON,
          1,
          Faults.NONE,
          new Network(Duration.ofNanos(300_000), Duration.ofNanos(50_000)),
          CallCosts.MEASURED,
          new Times(Duration.ofMillis(200), Duration.ofMillis(300)),
          1);

  ScaleScenario with(Load value) {
    return new ScaleScenario(value, keys, leases, masters, faults, network, costs, times, seed);
  }

  ScaleScenario withNodes(int nodes) {
    return with(new Load(nodes, load.rate, load.outstanding, load.surge));
  }

  ScaleScenario with(Keys value) {
    return new ScaleScenario(load, value, leases, masters, faults, network, costs, times, seed);
  }

  ScaleScenario with(Leasing value) {
    return new ScaleScenario(load, keys, value, masters, faults, network, costs, times, seed);
  }

  ScaleScenario withMasters(int value) {
    return new ScaleScenario(load, keys, leases, value, faults, network, costs, times, seed);
  }

  ScaleScenario with(Faults value) {
    return new ScaleScenario(load, keys, leases, masters, value, network, costs, times, seed);
  }

  ScaleScenario with(Network value) {
    return new ScaleScenario(load, keys, leases, masters, faults, value, costs, times, seed);
  }

  ScaleScenario with(CallCosts value) {
    return new ScaleScenario(load, keys, leases, masters, faults, network, value, times, seed);
  }

  ScaleScenario with(Times value) {
    return new ScaleScenario(load, keys, leases, masters, faults, network, costs, value, seed);
  }

  ScaleScenario withSeed(long value) {
    return new ScaleScenario(load, keys, leases, masters, faults, network, costs, times, value);
  }
}
