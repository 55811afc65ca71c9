package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.TokenLeases;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that this process takes ahead of demand for keys that are checked often, so that most
 * checks need no trip. {@link LeaseBlock} explains why that never allows too much.
 *
 * <p>A spend reads the clock once and makes one compare-and-set for each key. It takes no lock and,
 * for one key, allocates nothing.
 */
final class Leases {
  private final Map<RateLimitKey, LeasedKey> keys = new ConcurrentHashMap<>();
  private final LeaseCounts counts;
  private final LeaseLog log;
  private final LongSupplier nanoClock;
  private final LeaseEnd end;
  private final LeaseAcquirer acquirer;

  /**
   * Creates the leases of a store.
   *
   * @param sender sends requests for tokens
   * @param refund refunds closed blocks; those of one key are in reverse order of their time
   */
  Leases(
      RedisSettings settings,
      Generations generations,
      LeaseRules rules,
      LeaseLog log,
      LongSupplier nanoClock,
      LeaseAcquirer.Sender sender,
      Consumer<List<LeaseEnd.ClosedBlock>> refund) {
    this.log = log;
    this.nanoClock = nanoClock;
    this.counts = new LeaseCounts(keys.values(), nanoClock);
    this.end = new LeaseEnd(keys, counts, generations, rules, log, nanoClock, refund);
    this.acquirer = new LeaseAcquirer(keys, counts, settings, rules, log, end, nanoClock, sender);
  }

  TokenLeases counts() {
    return counts;
  }

  LeaseEnd end() {
    return end;
  }

  /** Returns whether there are no leases, so that none has to be ended. */
  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Returns whether buckets of these limits may be leased. */
  boolean mayLease(BucketLimits limits) {
    return acquirer.mayLease(limits);
  }

  /** Counts an acquisition that makes a trip. */
  void count(Acquisition acquisition, long nanos) {
    acquirer.count(acquisition, nanos);
  }

  /** Learns from the reply to a trip, and adds to its outcome what this process holds. */
  void learn(PendingAcquisition pending, Outcome outcome, long nanos) {
    if (!pending.acquisition().dryRun()) {
      acquirer.learn(pending, outcome, nanos);
    }
    if (!pending.isPart()) {
      include(pending.acquisition(), outcome);
    }
  }

  /** Allows an acquisition from leased tokens, or returns false if it needs a trip. */
  boolean spend(Acquisition acquisition, Outcome outcome) {
    if (acquisition.dryRun() || keys.isEmpty()) {
      return false;
    }
    return acquisition.size() == 1
        ? spendOne(acquisition, outcome)
        : spendAll(acquisition, outcome);
  }

  private boolean spendOne(Acquisition acquisition, Outcome outcome) {
    LeasedKey leased = find(acquisition.key(0));
    if (leased == null) {
      return false;
    }
    long nanos = nanoClock.getAsLong();
    long usable = leased.usable(nanos);
    long cost = acquisition.cost(0);
    LeaseBlock block = usable < cost ? null : leased.spend(cost, nanos);
    SeenBucket bucket = leased.seen();
    if (block == null || bucket == null) {
      acquirer.renew(leased, cost, nanos);
      return false;
    }
    outcome.reset(acquisition.bands());
    bucket.view(nanos, outcome.views(), 0);
    outcome.pass(0);
    outcome.lease(0, usable);
    outcome.decide(true, block.bucketAfter().latestMicros(nanos));
    outcome.recall();
    log.spent(block, cost, nanos);
    acquirer.renewIfLow(leased, cost, nanos);
    return true;
  }

  /** Returns how many tokens of a key can be spent now. */
  long holds(RateLimitKey key) {
    LeasedKey leased = find(key);
    return leased == null ? 0 : leased.usable(nanoClock.getAsLong());
  }

  private @Nullable LeasedKey find(RateLimitKey key) {
    LeasedKey leased = keys.get(key);
    return leased != null && leased.isOf(key) ? leased : null;
  }

  /** Allows an acquisition of several keys if the tokens of all of them suffice. */
  private boolean spendAll(Acquisition acquisition, Outcome outcome) {
    long nanos = nanoClock.getAsLong();
    LeasedKey[] found = findAll(acquisition, nanos);
    if (found == null) {
      return false;
    }
    LeaseBlock[] spent = new LeaseBlock[found.length];
    long[] moments = new long[found.length];
    outcome.reset(acquisition.bands());
    int v = 0;
    for (int i = 0; i < found.length; i++) {
      long cost = acquisition.cost(i);
      long usable = found[i].usable(nanos);
      LeaseBlock block = found[i].spend(cost, nanos);
      SeenBucket bucket = found[i].seen();
      if (block == null || bucket == null) {
        // Another caller was faster.
        for (int other = 0; other < i; other++) {
          end.restore(spent[other], acquisition.cost(other), nanos);
        }
        return false;
      }
      spent[i] = block;
      log.spent(block, cost, nanos);
      bucket.view(nanos, outcome.views(), v);
      moments[i] = block.bucketAfter().latestMicros(nanos);
      outcome.pass(i);
      outcome.lease(i, usable);
      v += acquisition.key(i).limits().arithmetic().viewWords();
    }
    outcome.decide(true, moments[0]);
    outcome.lookedAt(moments);
    outcome.recall();
    for (int i = 0; i < found.length; i++) {
      acquirer.renewIfLow(found[i], acquisition.cost(i), nanos);
    }
    return true;
  }

  /** Returns what is leased of each key, or null if that does not suffice. */
  private LeasedKey @Nullable [] findAll(Acquisition acquisition, long nanos) {
    LeasedKey[] found = new LeasedKey[acquisition.size()];
    for (int i = 0; i < found.length; i++) {
      LeasedKey leased = find(acquisition.key(i));
      if (leased == null || !leased.hasEnough(acquisition.cost(i), nanos)) {
        return null;
      }
      found[i] = leased;
    }
    return found;
  }

  /** Adds to the outcome of a trip what this process holds; a dry run that it covers is allowed. */
  void include(Acquisition acquisition, Outcome outcome) {
    if (keys.isEmpty() || !(outcome.allowed() || acquisition.dryRun())) {
      return;
    }
    long nanos = nanoClock.getAsLong();
    boolean covered = acquisition.dryRun();
    for (int i = 0; i < acquisition.size(); i++) {
      LeasedKey leased = find(acquisition.key(i));
      long usable = leased == null ? 0 : leased.usable(nanos);
      covered &= leased != null && leased.hasEnough(acquisition.cost(i), nanos);
      if (usable > 0) {
        outcome.lease(i, usable);
      }
    }
    if (covered && !outcome.allowed()) {
      for (int i = 0; i < acquisition.size(); i++) {
        outcome.pass(i);
      }
      outcome.decide(true, outcome.nowMicros());
    }
  }
}
