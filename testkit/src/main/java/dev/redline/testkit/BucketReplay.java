package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.History.Event;
import dev.redline.testkit.Observation.Effect;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Replays the observations of one bucket through a reference bucket, in the server's order, and
 * fails at the first one that the bucket cannot explain.
 */
final class BucketReplay {
  /** How many observations a failure shows before and after the one that is not explained. */
  private static final int BEFORE = 12;

  private static final int AFTER = 4;

  private final History history;
  private final RateLimitKey key;
  private final List<Observation> observations;
  private final List<Observation> unknown;
  private final List<Observation> cacheDenials;
  private final List<Event> events;
  private final PastStates pastStates;
  private final PossibleHistories hypotheses = new PossibleHistories();
  private final List<Event> resets = new ArrayList<>();
  private final Set<Event> resetsOfFullBucket = new HashSet<>();
  private final Set<BucketLimits> limits;
  private final boolean limitsDiffer;
  private final boolean clockTurned;
  private final List<RecordedLease> leases;
  private final UnansweredRefunds unansweredRefunds;
  private final List<Long> restarts = new ArrayList<>();
  private List<ReferenceBand> bucket;
  private boolean clockWasAhead;
  private int position;
  private int nextUnknown;
  private int epoch;
  private long before;
  private long lostStates;

  BucketReplay(
      History history, RateLimitKey key, List<Observation> all, List<RecordedLease> leases) {
    this.history = history;
    this.key = key;
    this.observations =
        all.stream().filter(Observation::isDecidedByServer).sorted(serverOrder()).toList();
    this.unknown =
        all.stream()
            .filter(Observation::isUnknown)
            .filter(observation -> observation.cost() <= capacity(key.limits()))
            .sorted(Comparator.comparingLong(observation -> observation.call().invoked))
            .toList();
    this.cacheDenials =
        all.stream()
            .filter(observation -> observation.effect() == Effect.FROM_DENY_CACHE)
            .sorted(Comparator.comparingLong(observation -> observation.call().returned))
            .toList();
    this.events =
        new ArrayList<>(
            history.events().stream().filter(e -> e.concerned.test(key.limits())).toList());
    this.limits =
        all.stream().map(observation -> observation.key().limits()).collect(Collectors.toSet());
    this.limitsDiffer = limits.size() > 1;
    this.clockTurned = events.stream().anyMatch(event -> event.kind == Event.Kind.STEP);
    this.leases = leases;
    this.unansweredRefunds = new UnansweredRefunds(leases);
    this.bucket = fullBucket();
    this.pastStates = new PastStates(observations);
    this.before = observations.isEmpty() ? 0 : start(all);
  }

  private static long capacity(BucketLimits limits) {
    return IntStream.range(0, limits.size())
        .mapToLong(b -> limits.band(b).capacity())
        .min()
        .orElseThrow();
  }

  /** Returns a time of the server's clock before the first acquisition. */
  private long start(List<Observation> all) {
    long first =
        all.stream().mapToLong(observation -> observation.call().invoked).min().orElseThrow();
    Observation observation = observations.get(0);
    return observation.now() - (observation.call().returned - first) / 1000 - 1000;
  }

  /**
   * Orders observations by the server's clock. At the same time, smaller debts come first, since
   * acquisitions only add debt, and of equal debts the observation that acquires nothing. Refunds
   * reduce it: of several in one call, larger debts come first.
   */
  private static Comparator<Observation> serverOrder() {
    Comparator<Observation> byState =
        (a, b) -> {
          for (int i = 0; i < a.states().size(); i++) {
            int byBand = a.states().get(i).first().compareTo(b.states().get(i).first());
            if (byBand != 0) {
              return byBand;
            }
          }
          return 0;
        };
    return Comparator.comparingLong(Observation::now)
        .thenComparing(Observation::refunds)
        .thenComparing((a, b) -> a.refunds() ? byState.compare(b, a) : byState.compare(a, b))
        .thenComparing(Observation::acquires)
        .thenComparing(observation -> observation.call().invoked);
  }

  private List<ReferenceBand> fullBucket() {
    BucketLimits limits = key.limits();
    return IntStream.range(0, limits.size())
        .mapToObj(b -> ReferenceBand.of(limits.band(b).band()))
        .toList();
  }

  private List<ReferenceBand> fullBucket(Observation observation) {
    return observation.withLimits(fullBucket());
  }

  HistoryChecker.Report run() {
    for (position = 0; position < observations.size(); position++) {
      Observation observation = observations.get(position);
      if (limitsDiffer) {
        bucket = observation.withLimits(bucket);
      }
      if (observation.effect() == Effect.REFUND) {
        refund(observation);
        continue;
      }
      checkOrder(observation);
      checkCapacity(observation);
      addUnknowns(observation);
      List<ReferenceBand> beforeDryRun = bucket.stream().map(ReferenceBand::copy).toList();
      clockWasAhead = false;
      boolean gainedTokens = reconcile(observation);
      boolean matched = matches(observation);
      setState(observation);
      checkDecision(observation);
      if (observation.isDryRun() && (matched || clockWasAhead)) {
        bucket = beforeDryRun;
        restoreAfterDryRun(observation);
      }
      hypotheses.removeExpiredRefunds(observation);
      acquire(observation);
      pastStates.add(observation, bucket, gainedTokens, resets);
      resets.clear();
      before = observation.now();
    }
    checkCacheDenials();
    return new HistoryChecker.Report(
        1,
        observations.size(),
        observations.stream()
            .filter(observation -> observation.effect() == Effect.ACQUIRED)
            .count(),
        cacheDenials.size(),
        unknown.size(),
        nextUnknown - hypotheses.unresolved(),
        observations.stream()
            .filter(observation -> observation.effect() == Effect.REFUNDABLE)
            .count(),
        lostStates,
        leases.stream().mapToLong(RecordedLease::tokens).sum(),
        leases.stream()
            .flatMap(lease -> lease.spends().stream())
            .mapToLong(RecordedLease.Spend::cost)
            .sum());
  }

  /** Returns whether server times can be compared, and one set of limits holds all the time. */
  boolean hasSteadyClockAndLimits() {
    return !clockTurned && !limitsDiffer;
  }

  /** Returns the server times at which the bucket was reset or lost state, in order. */
  List<Long> restarts() {
    return restarts;
  }

  /**
   * Applies a refund that the server confirmed: it found the token buckets that it refunded as the
   * lease had left them. What windows count does not depend on others.
   */
  private void refund(Observation observation) {
    addUnknowns(observation);
    RecordedLease lease =
        leases.stream().filter(each -> each.isRefundedBy(observation)).findFirst().orElseThrow();
    if (!lease.mayBeRefundedTo(bucket, observation)) {
      if (!isExplained(observation)) {
        throw new AssertionError(
            describe(observation)
                + " was refunded, though the bucket had changed: expected "
                + expected(observation)
                + observed(observation));
      }
      setState(observation);
    }
    lease.refundTo(bucket, observation);
    pastStates.add(observation, bucket, true, resets);
    before = observation.now();
  }

  private void checkCacheDenials() {
    long extraCost = 0;
    int next = 0;
    for (Observation observation : cacheDenials) {
      while (next < unknown.size()
          && unknown.get(next).call().invoked - observation.call().returned <= 0) {
        extraCost += unknown.get(next++).cost();
      }
      if (!pastStates.mayDeny(observation, extraCost, events)) {
        throw new AssertionError(
            describe(observation)
                + " was denied by the deny cache, though the bucket would have allowed it");
      }
    }
  }

  private void checkOrder(Observation observation) {
    for (int p = position - 1; p >= 0 && observations.get(p).now() == observation.now(); p--) {
      Observation earlier = observations.get(p);
      boolean sameNode = earlier.call().node.equals(observation.call().node);
      if (sameNode && observation.call().submitted - earlier.call().invoked < 0) {
        throw new AssertionError(
            describe(observation)
                + " was decided after "
                + earlier.call()
                + ", which was invoked later");
      }
    }
    if (pastStates.latestInvoked() - observation.call().returned > 0) {
      throw new AssertionError(
          describe(observation)
              + " returned before another was invoked that the server decided earlier");
    }
  }

  private void checkCapacity(Observation observation) {
    for (int b = 0; b < bucket.size(); b++) {
      BigInteger max = BigInteger.ZERO;
      for (BucketLimits one : limits) {
        max = max.max(bucket.get(b).maxDebt(one.band(b).band()));
      }
      if (observation.states().get(b).first().compareTo(max) > 0) {
        throw new AssertionError(
            describe(observation)
                + ": expected to owe at most its capacity "
                + max
                + observed(observation));
      }
    }
  }

  /** Adds the acquisitions of unknown outcome that may have happened before an observation. */
  private void addUnknowns(Observation observation) {
    while (nextUnknown < unknown.size()
        && unknown.get(nextUnknown).call().invoked - observation.call().returned <= 0) {
      Observation acquire = unknown.get(nextUnknown++);
      hypotheses.add(
          new PossibleHistories.UnknownAcquisition(
              acquire.cost(), epochOf(acquire), acquire.effect() == Effect.UNKNOWN_ACROSS_SLOTS));
    }
    unansweredRefunds.addTo(hypotheses, observation);
    int current = history.epoch(observation.call().invoked);
    if (current > epoch) {
      epoch = current;
      hypotheses.settle(epoch);
    }
  }

  private int epochOf(Observation observation) {
    return observation.call().hasEnded()
        ? history.epoch(observation.call().returned)
        : Integer.MAX_VALUE;
  }

  /**
   * Finds an explanation for the observed state: the bucket itself, unknown acquisitions and
   * refunds, or an event; returns whether the bucket may have gained tokens other than by refill.
   */
  private boolean reconcile(Observation observation) {
    for (Event event : List.copyOf(events)) {
      if (event.kind == Event.Kind.RESET && event.endedBefore(observation)) {
        events.remove(event);
        if (resetsOfFullBucket.remove(event) && matches(observation)) {
          continue;
        }
        resets.add(event);
        restarts.add(observation.now());
        bucket = fullBucket(observation);
      }
    }
    bucket.forEach(band -> band.onClockStep(observation.now()));
    if (isExplained(observation)) {
      noteResetsOfFullBucket(observation);
      boolean usedRefund = !matches(observation) && hypotheses.usedRefund();
      events.removeIf(event -> event.endedBefore(observation));
      return usedRefund || !resets.isEmpty();
    }
    String expected = expected(observation);
    for (Event event : List.copyOf(events)) {
      if (event.mayPrecede(observation) && isPossibleAfter(event, observation)) {
        events.remove(event);
        restarts.add(observation.now());
        return true;
      }
    }
    throw new AssertionError(
        describe(observation)
            + ": expected "
            + expected
            + observed(observation)
            + " ("
            + hypotheses
            + ")"
            + neighbours());
  }

  /** Returns the observations around this one, which tell what it should have followed. */
  private String neighbours() {
    StringBuilder lines = new StringBuilder();
    int end = Math.min(observations.size(), position + AFTER + 1);
    for (int p = Math.max(0, position - BEFORE); p < end; p++) {
      Observation near = observations.get(p);
      lines
          .append(p == position ? "\n> " : "\n  ")
          .append(p + 1)
          .append(": ")
          .append(near.effect())
          .append(" by ")
          .append(near.call())
          .append(", cost ")
          .append(near.cost())
          .append(", at ")
          .append(near.now())
          .append(observed(near));
    }
    return lines.toString();
  }

  /** Notes resets that may have happened just before, unseen, because the bucket was full then. */
  private void noteResetsOfFullBucket(Observation observation) {
    for (Event event : events) {
      if (event.kind == Event.Kind.RESET
          && event.mayPrecede(observation)
          && matches(fullBucket(observation), observation)) {
        resetsOfFullBucket.add(event);
      }
    }
  }

  private boolean matches(Observation observation) {
    return matches(bucket, observation);
  }

  private static boolean matches(List<ReferenceBand> bucket, Observation observation) {
    for (int b = 0; b < bucket.size(); b++) {
      if (!bucket.get(b).state(observation.now()).equals(observation.states().get(b))) {
        return false;
      }
    }
    return true;
  }

  private boolean isExplained(Observation observation) {
    return matches(observation) || hypotheses.explain(bucket, before, observation);
  }

  private boolean isPossibleAfter(Event event, Observation observation) {
    if (event.kind == Event.Kind.RESET) {
      List<ReferenceBand> old = bucket;
      bucket = fullBucket(observation);
      boolean isExplained = isExplained(observation);
      if (isExplained) {
        resets.add(event);
      } else {
        bucket = old;
      }
      return isExplained;
    }
    boolean possible = event.kind == Event.Kind.STEP || isWithinMaximum(observation);
    clockWasAhead = event.kind == Event.Kind.STEP && owesCapacity(observation);
    lostStates += possible ? 1 : 0;
    return possible;
  }

  private boolean owesCapacity(Observation observation) {
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand band = bucket.get(b);
      if (!observation.states().get(b).first().equals(band.debtOf(band.capacity()))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether no band owes more than if all unknown acquisitions had happened. */
  private boolean isWithinMaximum(Observation observation) {
    long cost = hypotheses.unknownCost();
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand band = bucket.get(b);
      BigInteger acquiredDebt = cost == 0 ? BigInteger.ZERO : band.debtOf(cost);
      BandState max =
          band.possibleStates(
                  before, observation.now(), acquiredDebt, BandState.ZERO, BandState.ZERO)
              .max();
      if (observation.states().get(b).first().compareTo(max.first()) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Keeps a state written by a clock ahead as it is after a dry run, which writes nothing. */
  private void restoreAfterDryRun(Observation observation) {
    if (clockWasAhead) {
      bucket.forEach(band -> band.setStateOfClockAhead(observation.now()));
    }
  }

  private void setState(Observation observation) {
    for (int b = 0; b < bucket.size(); b++) {
      bucket.get(b).setState(observation.now(), observation.states().get(b));
    }
  }

  private void checkDecision(Observation observation) {
    boolean passes =
        bucket.stream().allMatch(band -> band.allows(observation.now(), observation.cost()));
    if (passes != observation.passed()) {
      throw new AssertionError(
          describe(observation)
              + ": expected to be "
              + (passes ? "allowed, was denied" : "denied, was allowed")
              + observed(observation));
    }
  }

  private void acquire(Observation observation) {
    if (!observation.acquires()) {
      return;
    }
    if (observation.effect() == Effect.REFUNDABLE) {
      List<ReferenceBand> beforeAcquisition = bucket.stream().map(ReferenceBand::copy).toList();
      hypotheses.add(
          new PossibleHistories.PossibleRefund(
              beforeAcquisition, observation.now(), observation.cost(), false));
    }
    bucket.forEach(band -> band.acquire(observation.now(), observation.cost()));
  }

  private String describe(Observation observation) {
    return "bucket of "
        + key.limits().owner()
        + " for '"
        + key.identity()
        + "', observation "
        + (position + 1)
        + " of "
        + observations.size()
        + " ("
        + observation.call()
        + ", cost "
        + observation.cost()
        + (observation.now() == 0 ? "" : ", at " + observation.now() + " µs")
        + ")";
  }

  private String expected(Observation observation) {
    return bucket.stream()
        .map(band -> band.band + " owing " + band.state(observation.now()))
        .collect(Collectors.joining(", "));
  }

  private static String observed(Observation observation) {
    return ", seen owing "
        + observation.states().stream().map(BandState::toString).collect(Collectors.joining(", "));
  }
}
