package dev.redline.bench.scale;

import dev.redline.bench.ZipfKeys;
import dev.redline.bench.scale.ScaleScenario.Leasing;
import dev.redline.bench.scale.SimulatedMaster.Call;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.stores.redis.LeaseSettings;
import dev.redline.stores.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A <a href="https://en.wikipedia.org/wiki/Discrete-event_simulation">discrete event simulation</a>
 * of nodes and masters: one thread, simulated time, and the same result for the same seed.
 */
final class ScaleSimulation {
  private static final long START_NANOS = 1_000_000_000_000L;
  private static final long TIMER_NANOS = 5_000_000;
  private static final long SAMPLE_NANOS = 20_000_000;
  private static final long PROGRESS_NANOS = 10_000_000;
  private static final long LONGEST_LATENCY_NANOS = 10_000_000_000L;

  /** How much later than decided a decision arrives at most: time-out, its timer, and a margin. */
  private static final long LATENESS_MICROS = 100_000;

  private static final long SURGE_NANOS = 20_000_000;
  private static final int LIMITED_KEYS = 10;
  private static final long LEAST_CAPACITY = 200;

  private final ScaleScenario scenario;
  private final RedisSettings settings;
  private final EventQueue events = new EventQueue(START_NANOS);
  private final SplittableRandom random;
  private final ZipfKeys zipf;
  private final SimulatedBuckets buckets;
  private final AllowanceCheck check;
  private final SimulatedMaster[] masters;
  private final SimulatedNode[] nodes;
  private final Queue<Call> watched = new ArrayDeque<>();
  private final Histogram latencies = new Histogram(LONGEST_LATENCY_NANOS, 3);
  private final Outcome scratch = new Outcome();
  private final long oneWayNanos;
  private final double jitterNanos;
  private final long timeoutNanos;
  private boolean measuring;
  private long decisions;
  private long spent;
  private long recalled;
  private long undecided;
  private long lost;
  private long heldSamples;
  private long heldSum;
  private long mostHeld;
  private long crashedBusyNanos;

  ScaleSimulation(ScaleScenario scenario) {
    this.scenario = scenario;
    this.settings =
        RedisSettings.of("redis://simulated")
            .withLease(scenario.leases() == Leasing.OFF ? LeaseSettings.OFF : LeaseSettings.ON);
    this.timeoutNanos = settings.commandTimeout().toNanos();
    this.random = new SplittableRandom(scenario.seed());
    this.zipf = new ZipfKeys(scenario.keys().count(), scenario.keys().zipf());
    BucketLimits limits =
        new BucketLimits(
            OwnerKind.RULE,
            "scale",
            List.of(scenario.keys().limit().orElseGet(this::defaultLimit)));
    this.buckets = new SimulatedBuckets(limits, scenario.keys().count());
    this.check = new AllowanceCheck(limits, scenario.keys().count(), START_NANOS / 1000);
    this.oneWayNanos = scenario.network().roundTrip().toNanos() / 2;
    this.jitterNanos = scenario.network().jitter().toNanos() / 2.0;
    this.masters = new SimulatedMaster[scenario.masters()];
    for (int i = 0; i < masters.length; i++) {
      double factor = i == 0 ? scenario.faults().slowFactor() : 1;
      masters[i] = new SimulatedMaster(events, buckets, scenario.costs(), factor);
    }
    this.nodes = new SimulatedNode[scenario.load().nodes()];
    for (int i = 0; i < nodes.length; i++) {
      start(i);
    }
  }

  /**
   * Returns the limit under which the busiest keys need more than they get, and others do not. The
   * capacity is small, so that the first of them have used it up soon.
   */
  private RateLimitBand defaultLimit() {
    int tenth = Math.min(LIMITED_KEYS, scenario.keys().count()) - 1;
    long perSecond = Math.max(1, (long) (scenario.load().perSecond() * zipf.share(tenth)));
    long capacity = Math.max(LEAST_CAPACITY, perSecond / 10);
    return RateLimitBand.of(capacity, perSecond, Duration.ofSeconds(1));
  }

  private void start(int i) {
    nodes[i] = new SimulatedNode(this, settings, scenario.leases() != Leasing.WITHOUT_DECAY);
    nodes[i].tickFrom(events.now() + random.nextLong(nodes[i].store().tickNanos()));
  }

  EventQueue events() {
    return events;
  }

  CallCosts costs() {
    return scenario.costs();
  }

  int masters() {
    return scenario.masters();
  }

  SimulatedMaster master(int i) {
    return masters[i];
  }

  long timeoutNanos() {
    return timeoutNanos;
  }

  /** Draws how long a message takes. */
  long networkNanos() {
    return oneWayNanos + (long) exponential(jitterNanos);
  }

  private double exponential(double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  /** Ends a call without a reply when its time is over. */
  void watch(Call call) {
    watched.add(call);
  }

  private void timeOut() {
    for (Call call = watched.peek();
        call != null && (call.isDone() || call.isLate(events.now()));
        call = watched.peek()) {
      watched.poll();
      if (!call.node().isCrashed()) {
        call.timeOut();
      }
    }
    events.at(events.now() + TIMER_NANOS, this::timeOut);
  }

  /**
   * Runs the simulation.
   *
   * @param progress gets the simulated part of the whole, from 0 to 1
   */
  ScaleResult run(Consumer<Double> progress) {
    long measureFrom = START_NANOS + scenario.times().warmUp().toNanos();
    long end = measureFrom + scenario.times().measured().toNanos();
    events.at(START_NANOS + TIMER_NANOS, this::timeOut);
    events.at(START_NANOS + SAMPLE_NANOS, this::sample);
    events.at(measureFrom, this::startMeasuring);
    if (scenario.faults().crashes() > 0) {
      scheduleCrash();
    }
    boolean closed = scenario.load().isClosedLoop();
    long surgeFrom = measureFrom + scenario.times().measured().toNanos() / 2;
    double gap = 1e9 / Math.max(1, scenario.load().perSecond());
    long arrival = closed ? Long.MAX_VALUE : START_NANOS;
    if (closed) {
      startLoops();
    }
    double exact = START_NANOS;
    long nextProgress = START_NANOS;
    while (Math.min(arrival, events.nextTime()) < end) {
      if (arrival <= events.nextTime()) {
        events.advance(arrival);
        decide(nodes[random.nextInt(nodes.length)], null);
        boolean surges = arrival >= surgeFrom && arrival < surgeFrom + SURGE_NANOS;
        exact += exponential(surges ? gap / scenario.load().surge() : gap);
        arrival = (long) exact;
      } else {
        events.runNext();
      }
      if (events.now() >= nextProgress) {
        check.checkBefore(events.now() / 1000 - LATENESS_MICROS);
        progress.accept((events.now() - START_NANOS) / (double) (end - START_NANOS));
        nextProgress += PROGRESS_NANOS;
      }
    }
    check.checkBefore(end / 1000 + LATENESS_MICROS);
    return result();
  }

  private void startLoops() {
    for (SimulatedNode node : nodes) {
      for (int i = 0; i < scenario.load().outstanding(); i++) {
        Runnable[] loop = new Runnable[1];
        loop[0] = () -> decide(node, loop[0]);
        events.at(START_NANOS, loop[0]);
      }
    }
  }

  /** Has a node decide about one request; then comes the next one of a closed loop, if any. */
  private void decide(SimulatedNode node, @Nullable Runnable next) {
    int key = zipf.draw(random);
    Acquisition acquisition = buckets.ofOne(key);
    long start = events.now();
    if (node.store().acquireNow(acquisition, scratch)) {
      check.add(start / 1000, key, scratch.allowed());
      if (measuring) {
        decisions++;
        latencies.recordValue(scenario.costs().decisionNanos());
        if (scratch.allowed()) {
          spent++;
        } else {
          recalled++;
        }
      }
      if (next != null) {
        events.at(start + scenario.costs().decisionNanos(), next);
      }
      return;
    }
    var unused =
        node.acquire(acquisition)
            .whenComplete((outcome, failure) -> decided(key, start, outcome, failure, next));
  }

  private void decided(
      int key,
      long start,
      @Nullable Outcome outcome,
      @Nullable Throwable failure,
      @Nullable Runnable next) {
    if (outcome != null) {
      check.add(outcome.nowMicros(), key, outcome.allowed());
    }
    if (measuring) {
      decisions++;
      undecided += failure == null ? 0 : 1;
      latencies.recordValue(Math.min(LONGEST_LATENCY_NANOS, events.now() - start));
    }
    if (next != null) {
      if (failure == null) {
        next.run();
      } else {
        events.at(events.now() + TIMER_NANOS, next);
      }
    }
  }

  private void startMeasuring() {
    measuring = true;
    for (SimulatedMaster master : masters) {
      master.resetCounts();
    }
    for (SimulatedNode node : nodes) {
      node.resetCounts();
    }
    crashedBusyNanos = 0;
  }

  private void sample() {
    if (measuring) {
      long held = 0;
      for (SimulatedNode node : nodes) {
        held += node.store().tokensHeld();
      }
      heldSamples++;
      heldSum += held;
      mostHeld = Math.max(mostHeld, held);
    }
    events.at(events.now() + SAMPLE_NANOS, this::sample);
  }

  private void scheduleCrash() {
    events.at(events.now() + (long) exponential(1e9 / scenario.faults().crashes()), this::crash);
  }

  /** Ends a node as kill -9 does; a new one takes its place, with a new connection. */
  private void crash() {
    int i = random.nextInt(nodes.length);
    lost += nodes[i].store().tokensHeld();
    crashedBusyNanos += nodes[i].busyNanos();
    nodes[i].crash();
    start(i);
    scheduleCrash();
  }

  private ScaleResult result() {
    double nanos = scenario.times().measured().toNanos();
    long busy = 0;
    long highest = 0;
    long calls = 0;
    for (SimulatedMaster master : masters) {
      busy += master.busyNanos();
      highest = Math.max(highest, master.busyNanos());
      calls += master.calls();
    }
    long nodesBusy = crashedBusyNanos;
    for (SimulatedNode node : nodes) {
      nodesBusy += node.busyNanos();
    }
    double each = 1000.0 * Math.max(1, decisions);
    return new ScaleResult(
        decisions,
        spent,
        recalled,
        undecided,
        check.denials(),
        check.earlyDenials(),
        check.overAdmissions(),
        calls,
        busy / nanos / masters.length,
        highest / nanos,
        nodesBusy / nanos / nodes.length,
        busy / each,
        nodesBusy / each,
        (double) heldSum / Math.max(1, heldSamples),
        mostHeld,
        lost,
        latencies,
        nanos / 1e9);
  }
}
