package dev.redline.testkit;

import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that the outcomes in a {@link History} are those of exact buckets: a linearizability check
 * (Herlihy and Wing) that uses the server's clock for the order.
 *
 * <p>The observations of each bucket are sorted by the server's clock and, at the same time, by
 * debt, since acquisitions only add debt. Then they are replayed through the bands of the {@link
 * ReferenceModel}:
 *
 * <ul>
 *   <li>Decision and state must equal those of the replayed bucket; its debt never exceeds its
 *       capacity.
 *   <li>A dry run changes nothing, not even a debt above the capacity that a clock which stepped
 *       back has left.
 *   <li>Nodes with different limits may share a bucket whose limits {@linkplain
 *       dev.redline.core.limit.BucketLimits#carriedOver carry over}: debt under the larger limits
 *       stays under the smaller ones. This is supported only if no call fails.
 *   <li>A failed acquisition may have been applied, once, at any time after it was invoked. The
 *       next observed state decides.
 *   <li>An acquisition that another slot denied may be refunded once, by at most the debt that is
 *       left at that time.
 *   <li>The replayed bucket must agree with each denial from the deny cache; after a refund or a
 *       loss of state, the bucket as it was up to a second before.
 *   <li>State may be lost once per {@link History#forgetting} and buckets are reset once per {@link
 *       History#resetting}, and not otherwise.
 *   <li>A lease is an ordinary acquisition at the time it was taken. Each lease by itself is spent
 *       only once, and only while refill had not replaced its tokens ({@link LeaseCheck}). A second
 *       replay has each spend at its own time instead of the leases, and never exceeds the limits
 *       ({@link AllowedReplay}).
 *   <li>A call that returned before another was invoked comes first; so does the first of two
 *       acquisitions that a node sends in one script call.
 * </ul>
 *
 * <p>For stores that read one clock and decide in one step, as a script in Redis does. The clock of
 * a server that takes over must not be behind the clock of its predecessor.
 */
public final class HistoryChecker {
  private HistoryChecker() {}

  /**
   * The contents of a history that passed the check.
   *
   * @param buckets how many buckets were used
   * @param decisions how many decisions the server made about one of them
   * @param acquired how many of those acquired
   * @param cacheDenials how many denials came from the deny cache
   * @param unknown how many acquisitions failed with unknown outcome
   * @param unknownAcquired how many of those are known to have been applied
   * @param refundable how many acquisitions were denied by another slot
   * @param lostStates how many buckets lost state
   * @param leased how many tokens were taken ahead of demand
   * @param spent how many of those were spent
   */
  public record Report(
      long buckets,
      long decisions,
      long acquired,
      long cacheDenials,
      long unknown,
      long unknownAcquired,
      long refundable,
      long lostStates,
      long leased,
      long spent) {
    private Report plus(Report other) {
      return new Report(
          buckets + other.buckets,
          decisions + other.decisions,
          acquired + other.acquired,
          cacheDenials + other.cacheDenials,
          unknown + other.unknown,
          unknownAcquired + other.unknownAcquired,
          refundable + other.refundable,
          lostStates + other.lostStates,
          leased + other.leased,
          spent + other.spent);
    }
  }

  /**
   * Checks a history. An acquisition that has not returned counts as one of unknown outcome.
   *
   * @return the contents of the history
   * @throws AssertionError if an outcome is wrong; the message names the bucket, the position in
   *     its history, the expected and the observed state
   */
  public static Report check(History history) {
    Map<RateLimitKey, List<Observation>> observations = new HashMap<>();
    for (History.Call call : history.calls()) {
      for (Observation observation : Observation.of(history, call)) {
        observations.computeIfAbsent(observation.key(), key -> new ArrayList<>()).add(observation);
      }
    }
    Map<RateLimitKey, List<RecordedLease>> leases = new HashMap<>();
    for (RecordedLease lease : history.leases()) {
      new LeaseCheck(lease, history.events()).run();
      leases.computeIfAbsent(lease.key(), key -> new ArrayList<>()).add(lease);
      observations
          .computeIfAbsent(lease.key(), key -> new ArrayList<>())
          .addAll(lease.observations());
    }
    Report total = new Report(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (Map.Entry<RateLimitKey, List<Observation>> entry : observations.entrySet()) {
      List<RecordedLease> ofBucket = leases.getOrDefault(entry.getKey(), List.of());
      BucketReplay replay = new BucketReplay(history, entry.getKey(), entry.getValue(), ofBucket);
      total = total.plus(replay.run());
      if (!ofBucket.isEmpty()) {
        new SpendReplay(entry.getKey(), entry.getValue(), ofBucket, replay).run();
      }
    }
    return total;
  }
}
