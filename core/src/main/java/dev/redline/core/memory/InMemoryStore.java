package dev.redline.core.memory;

import dev.redline.core.key.RateLimitKey;
import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.ContinuousBucket;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store whose buckets live in this process; subclasses bring the table that holds them.
 *
 * <p>Decides on the caller's thread. A single continuous token bucket is taken from by one
 * compare-and-set; several bands or keys are locked one by one in the order of their owners, for
 * nanoseconds. Neither way allocates.
 *
 * <p>Under pressure no bucket that tells something is forgotten: what the table cannot hold shares
 * the bucket of its {@link Overflow} group, and a key that gets a bucket of its own starts as
 * indebted as its group.
 */
public abstract class InMemoryStore implements StorageProvider {
  private final MicrosClock clock;
  private final long origin;
  private final Overflow overflow;

  /** Creates a store on a clock. */
  protected InMemoryStore(MicrosClock clock) {
    this.clock = clock;
    this.origin = clock.nowMicros();
    this.overflow = new Overflow(origin);
  }

  /** Returns the key's own bucket, or null if it has none. */
  protected abstract @Nullable Bucket find(RateLimitKey key);

  /**
   * Puts a new bucket into the table unless the key has one already, or there is no room.
   *
   * @return the key's bucket, which is {@code candidate} if it was put; or null if there is no room
   */
  protected abstract @Nullable Bucket insert(RateLimitKey key, Bucket candidate);

  /** Returns how many keys have a bucket, those that share one counted once. */
  public abstract long size();

  final Overflow overflow() {
    return overflow;
  }

  final long origin() {
    return origin;
  }

  final long nowMicros() {
    return clock.nowMicros();
  }

  @Override
  public final CompletionStage<Outcome> acquire(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    acquireNow(acquisition, outcome);
    return CompletableFuture.completedFuture(outcome);
  }

  @Override
  public final boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    if (acquisition.size() != 1 || !acquireOne(acquisition, outcome)) {
      acquireLocked(acquisition, outcome);
    }
    return true;
  }

  /** Takes from a bucket of one word; returns false if the key has none, or it was closed. */
  private boolean acquireOne(Acquisition acquisition, Outcome outcome) {
    RateLimitKey key = acquisition.key(0);
    ContinuousBucket band = key.limits().packedOrNull();
    if (band == null || !(find(key) instanceof PackedBucket bucket)) {
      return false;
    }
    long now = clock.nowMicros();
    outcome.reset(1);
    PackedBucket.Take take =
        bucket.tryTake(
            band, now - origin, acquisition.cost(0), acquisition.dryRun(), outcome.views());
    if (take == PackedBucket.Take.CLOSED) {
      return false;
    }
    boolean passed = take == PackedBucket.Take.TAKEN;
    if (passed) {
      outcome.pass(0);
    }
    outcome.decide(passed || acquisition.shadow(0), now);
    return true;
  }

  private void acquireLocked(Acquisition acquisition, Outcome outcome) {
    Locks locks = Locks.ofThread();
    for (int tries = 0; !locks.lockAll(this, acquisition); tries++) {
      Bucket.pause(tries);
    }
    try {
      decide(locks, acquisition, outcome);
    } finally {
      locks.unlockAll();
    }
  }

  private void decide(Locks locks, Acquisition acquisition, Outcome outcome) {
    int size = acquisition.size();
    outcome.reset(acquisition.bands());
    long[] views = outcome.views();
    long now = clock.nowMicros();
    boolean allowed = true;
    int v = 0;
    for (int i = 0; i < size; i++) {
      BucketLimits limits = acquisition.key(i).limits();
      Bucket bucket = locks.bucket(i);
      if (bucket.view(limits, now, origin, views, v) && !acquisition.dryRun()) {
        bucket.take(limits, now, origin, views, v, 0);
      }
      if (admits(limits, views, v, acquisition.cost(i))) {
        outcome.pass(i);
      } else {
        allowed &= acquisition.shadow(i);
      }
      v += limits.size() * BandArithmetic.VIEW_WORDS;
    }
    if (allowed && !acquisition.dryRun()) {
      takeAll(locks, acquisition, outcome, now);
    }
    outcome.decide(allowed, now);
  }

  private static boolean admits(BucketLimits limits, long[] views, int v, long cost) {
    for (int b = 0; b < limits.size(); b++) {
      if (!limits.band(b).admits(views, v + b * BandArithmetic.VIEW_WORDS, cost)) {
        return false;
      }
    }
    return true;
  }

  private void takeAll(Locks locks, Acquisition acquisition, Outcome outcome, long now) {
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      if (outcome.passed(i)) {
        locks.bucket(i).take(limits, now, origin, outcome.views(), v, acquisition.cost(i));
      }
      v += limits.size() * BandArithmetic.VIEW_WORDS;
    }
  }

  /** Returns the bucket to use for a key: its own, a new one, or the one of its overflow group. */
  final Bucket bucketOf(RateLimitKey key) {
    Bucket own = find(key);
    if (own != null) {
      return own;
    }
    Bucket candidate = Bucket.closed(key.limits());
    Bucket inserted = insert(key, candidate);
    if (inserted == null) {
      return overflow.bucketOf(key);
    }
    if (inserted == candidate) {
      overflow.openLike(key, candidate, clock.nowMicros());
    }
    return inserted;
  }

  /**
   * Closes a bucket that a full table gives up, and lets what it tells live on in its overflow
   * group. For tables that evict; returns when it is done.
   */
  protected final void evict(RateLimitKey key, Bucket bucket) {
    overflow.absorb(key, bucket, clock.nowMicros());
  }

  /**
   * Closes a bucket for good if it is full again, so that the table can drop it without anybody
   * noticing.
   */
  protected final boolean reclaim(RateLimitKey key, Bucket bucket) {
    long[] view = new long[key.limits().size() * BandArithmetic.VIEW_WORDS];
    return bucket.closeIfFresh(key.limits(), clock.nowMicros(), origin, view);
  }

  /** Drops the overflow buckets that are full again. */
  protected final void reclaimOverflow() {
    overflow.reclaim(this::reclaim);
  }
}
