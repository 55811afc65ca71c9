package dev.redline.core.internal.memory;

import dev.redline.core.internal.store.AcquisitionDecider;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A store whose buckets live in this process; subclasses bring the table that holds them.
 *
 * <p>Decides on the caller's thread. A single continuous token bucket is taken from by one
 * compare-and-set; several bands or keys are locked one by one in the order of their owners, for
 * nanoseconds. Neither way allocates.
 *
 * <p>A bucket that is not full is never forgotten. A key for which the table has no room shares the
 * bucket of its {@link OverflowBuckets} group, and a key that gets a bucket of its own starts with
 * the debt of its group. Buckets that are full again are dropped in the background.
 *
 * <p>The table maps keys to buckets by identity of the bucket, is safe for concurrent use, and
 * drops a bucket only in {@link #remove}, or after handing it to {@link #evict}.
 */
public abstract class InMemoryStore implements StorageProvider {
  /** The shortest rest between two sweeps in the background. */
  protected static final Duration DEFAULT_REST = Duration.ofSeconds(1);

  private final MicrosClock clock;
  private final long origin;
  private final OverflowBuckets overflow;
  private final RuleResets resets = new RuleResets();
  private final @Nullable Sweeper sweeper;

  /** Creates a store on a clock. */
  protected InMemoryStore(MicrosClock clock) {
    this(clock, DEFAULT_REST);
  }

  /**
   * Creates a store on a clock.
   *
   * @param rest the shortest rest between two sweeps in the background; null: no such sweeps
   */
  protected InMemoryStore(MicrosClock clock, @Nullable Duration rest) {
    this.clock = clock;
    this.origin = clock.nowMicros();
    this.overflow = new OverflowBuckets(clock, origin, resets);
    this.sweeper = rest == null ? null : new Sweeper(this, rest);
  }

  /** Returns the key's own bucket, or null if it has none; counts as use where use counts. */
  protected abstract @Nullable Bucket find(RateLimitKey key);

  /**
   * Returns the key's own bucket, or null if it has none. Called while buckets are locked: must not
   * wait, evict or count as use.
   */
  protected abstract @Nullable Bucket peek(RateLimitKey key);

  /**
   * Puts a new bucket into the table unless the key has one already, or there is no room.
   *
   * @return the key's bucket, which is {@code candidate} if it was put; or null if there is no room
   */
  protected abstract @Nullable Bucket insert(RateLimitKey key, Bucket candidate);

  /** Removes a key's bucket, if it is this one. */
  protected abstract void remove(RateLimitKey key, Bucket bucket);

  /** Shows every key and its bucket; concurrent changes may be missed. */
  protected abstract void forEach(BiConsumer<RateLimitKey, Bucket> action);

  /** Returns how many keys have a bucket of their own. */
  public abstract long size();

  final boolean isEmpty() {
    return size() == 0 && overflow.isEmpty();
  }

  @Override
  public final CompletionStage<Outcome> acquire(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    acquireNow(acquisition, outcome);
    return CompletableFuture.completedFuture(outcome);
  }

  @Override
  public final boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    if (acquisition.size() == 1
        && find(acquisition.key(0)) instanceof PackedBucket bucket
        && bucket.acquire(acquisition, clock, origin, outcome)) {
      return true;
    }
    acquireLocked(acquisition, outcome);
    return true;
  }

  private void acquireLocked(Acquisition acquisition, Outcome outcome) {
    BucketLocks locks = BucketLocks.ofThread();
    try {
      locks.lockAll(this, acquisition);
      // The clock is read after the locks are held; see Bucket.
      AcquisitionDecider.decide(acquisition, locks, clock.nowMicros(), outcome);
    } finally {
      locks.unlockAll();
    }
  }

  /** Returns the key's own bucket, or null if it has none; removes one that is closed. */
  final @Nullable Bucket findOrRemove(RateLimitKey key) {
    Bucket bucket = find(key);
    if (bucket == null || !bucket.isClosed()) {
      return bucket;
    }
    remove(key, bucket);
    return null;
  }

  /**
   * Makes a bucket for a key that has none; returns the key's bucket, which may be another thread's
   * by now, or null if the table has no room for it.
   */
  final @Nullable Bucket makeBucketOrNull(RateLimitKey key) {
    Bucket candidate = Bucket.create(key.limits());
    Bucket inserted;
    try {
      inserted = insert(key, candidate);
      if (inserted == candidate) {
        overflow.openLike(key, candidate);
      }
    } finally {
      // Has an effect only after an error, such as a clock that throws: a bucket that stayed new
      // would keep every thread waiting that needs its key.
      candidate.closeIfNew();
    }
    noteInsert(key, inserted == candidate, inserted == null);
    return inserted;
  }

  private void noteInsert(RateLimitKey key, boolean inserted, boolean full) {
    if (sweeper == null) {
      return;
    }
    if (inserted) {
      sweeper.inserted(key);
    } else if (full) {
      sweeper.hurry();
    }
  }

  /** Returns the bucket of the key's overflow group. */
  final Bucket sharedBucket(RateLimitKey key) {
    return overflow.bucketOf(key);
  }

  /**
   * Closes a bucket that a full table gives up, and adds its debt to its overflow group. For tables
   * that evict: called before the key can get another bucket, by a thread that holds no bucket
   * locked; returns when it is done.
   */
  protected final void evict(RateLimitKey key, Bucket bucket) {
    overflow.absorb(key, bucket);
  }

  @Override
  public final CompletionStage<Void> reset(List<BucketLimits> owners) {
    resets.run(
        owners,
        reset -> {
          // The groups first: no bucket that is inserted later starts with a debt from before.
          overflow.reset(reset);
          forEach((key, bucket) -> reset.visit(key.limits(), bucket));
        });
    noteRefill();
    return CompletableFuture.completedFuture(null);
  }

  /**
   * {@inheritDoc} The bucket of the key's overflow group is made full too, since the key starts
   * with the group's debt whenever it gets a bucket of its own; this allows the group at most one
   * capacity too much.
   */
  @Override
  public final CompletionStage<Void> reset(RateLimitKey key) {
    for (int tries = 0; !tryReset(key); tries++) {
      Bucket.pause(tries);
    }
    noteRefill();
    return CompletableFuture.completedFuture(null);
  }

  /** Returns false if the key's bucket was closed, or inserted, meanwhile. */
  private boolean tryReset(RateLimitKey key) {
    Bucket own = findOrRemove(key);
    return own == null
        ? overflow.resetUnless(key, () -> peek(key) != null)
        : overflow.resetWith(key, own);
  }

  private void noteRefill() {
    if (sweeper != null) {
      sweeper.refilled();
    }
  }

  /** Drops every bucket that is full; what the background does, for tests and tools. */
  public final void sweep() {
    sweep((key, micros) -> {});
  }

  /** Receives each bucket that a sweep kept. */
  interface KeptBuckets {
    /**
     * Records when the key's bucket will be full without acquisitions, in microseconds from now.
     */
    void kept(RateLimitKey key, long micros);
  }

  final void sweep(KeptBuckets rest) {
    forEach(
        (key, bucket) -> {
          long micros = removeIfFull(key, bucket);
          if (micros > 0) {
            rest.kept(key, micros);
          }
        });
    overflow.sweep();
  }

  /** Drops the key's bucket if it is full; returns whether the key has none now. */
  final boolean sweep(RateLimitKey key) {
    Bucket bucket = peek(key);
    return bucket == null || removeIfFull(key, bucket) == 0;
  }

  /** Returns in how many microseconds the bucket is full; 0 if it was removed. */
  private long removeIfFull(RateLimitKey key, Bucket bucket) {
    long micros = bucket.closeIfFull(key.limits(), clock.nowMicros(), origin);
    if (micros == 0) {
      remove(key, bucket);
    }
    return micros;
  }

  final long nowMicros() {
    return clock.nowMicros();
  }

  /** Returns the moment that words of buckets count from. */
  final long origin() {
    return origin;
  }

  /** Ends the sweeping in the background. */
  @Override
  public void close() {
    if (sweeper != null) {
      sweeper.close();
    }
  }
}
