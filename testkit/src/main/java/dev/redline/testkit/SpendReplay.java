package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.AllowedReplay.Allowed;
import dev.redline.testkit.Observation.Effect;
import dev.redline.testkit.RecordedLease.Spend;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Replays what callers of one bucket were allowed, with each spend at its own time in place of the
 * leases. What was taken and not used counts for nothing here, so this bucket has at least as many
 * tokens as the server's; it must have enough for everything that was allowed.
 */
final class SpendReplay {
  private final RateLimitKey key;
  private final List<Observation> observations;
  private final List<RecordedLease> leases;
  private final BucketReplay replay;

  /**
   * Creates the replay.
   *
   * @param replay the replay of the bucket on the server, which has run
   */
  SpendReplay(
      RateLimitKey key,
      List<Observation> observations,
      List<RecordedLease> leases,
      BucketReplay replay) {
    this.key = key;
    this.observations = observations;
    this.leases = leases;
    this.replay = replay;
  }

  void run() {
    if (!replay.hasSteadyClockAndLimits()) {
      return;
    }
    Set<History.Call> leaseCalls = new HashSet<>();
    leases.forEach(lease -> leaseCalls.add(lease.call()));
    List<Allowed> allowed = new ArrayList<>();
    for (Observation observation : observations) {
      if (observation.effect() == Effect.ACQUIRED && !leaseCalls.contains(observation.call())) {
        allowed.add(new Allowed(observation.now(), observation.cost()));
      }
    }
    for (RecordedLease lease : leases) {
      addSpends(lease, allowed);
    }
    BucketLimits limits = key.limits();
    try {
      new AllowedReplay(
              IntStream.range(0, limits.size()).mapToObj(b -> limits.band(b).band()).toList())
          .check(allowed, replay.restarts());
    } catch (AssertionError e) {
      throw new AssertionError(
          "bucket of "
              + limits.owner()
              + " for '"
              + key.identity()
              + "', spends at their own times: "
              + e.getMessage(),
          e);
    }
  }

  /** Adds the spends of a lease, but for those after the bucket lost the state of the lease. */
  private void addSpends(RecordedLease lease, List<Allowed> to) {
    Outcome outcome = lease.outcome();
    if (outcome == null) {
      return;
    }
    long end =
        replay.restarts().stream()
            .filter(restart -> restart > outcome.nowMicros())
            .findFirst()
            .orElse(Long.MAX_VALUE);
    for (Spend spend : lease.spends()) {
      long micros = lease.micros(spend, outcome);
      if (micros < end) {
        to.add(new Allowed(micros, spend.cost()));
      }
    }
  }
}
