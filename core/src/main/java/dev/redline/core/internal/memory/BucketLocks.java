package dev.redline.core.internal.memory;

import dev.redline.core.internal.store.BucketAccess;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The buckets that one thread holds locked together; reused, so that locking allocates nothing. */
final class BucketLocks implements BucketAccess {
  private static final ThreadLocal<BucketLocks> OF_THREAD =
      ThreadLocal.withInitial(BucketLocks::new);

  private static final int ROUNDS_OF_MAKING = 3;

  /** Up to this many keys, sorting by insertion is fastest, and allocates nothing. */
  private static final int FEW = 32;

  private @Nullable Bucket[] buckets = new @Nullable Bucket[4];
  private boolean[] shared = new boolean[4];
  private long[] taken = new long[4];
  private int[] order = new int[4];
  private int size;
  private int locked;
  private long origin;

  /** Whether two keys have to share one bucket. */
  private boolean doubled;

  private BucketLocks() {}

  static BucketLocks ofThread() {
    return OF_THREAD.get();
  }

  /** Returns the bucket of key {@code i}. */
  Bucket bucket(int i) {
    Bucket bucket = buckets[i];
    if (bucket == null) {
      throw new IllegalStateException("key " + i + " is not locked");
    }
    return bucket;
  }

  @Override
  public boolean view(int key, BucketLimits limits, long nowMicros, long[] views, int v) {
    return bucket(key).view(limits, nowMicros, origin, views, v);
  }

  @Override
  public void take(int key, BucketLimits limits, long nowMicros, long[] views, int v, long cost) {
    if (doubled && cost > 0) {
      takeOnce(key, limits, nowMicros, cost);
    } else {
      bucket(key).take(limits, nowMicros, origin, views, v, cost);
    }
  }

  /**
   * Takes what exceeds the cost of other keys of the same bucket: the bucket's debt is then at
   * least that of each key alone, and no more than was admitted.
   */
  private void takeOnce(int key, BucketLimits limits, long nowMicros, long cost) {
    Bucket bucket = bucket(key);
    long before = 0;
    for (int i = 0; i < size; i++) {
      before = buckets[i] == bucket ? Math.max(before, taken[i]) : before;
    }
    if (cost > before) {
      long[] view = new long[limits.arithmetic().viewWords()];
      bucket.view(limits, nowMicros, origin, view, 0);
      bucket.take(limits, nowMicros, origin, view, 0, cost - before);
      taken[key] = cost;
    }
  }

  /**
   * Locks the buckets of all keys in one order, the same for every thread: by owner, of one owner
   * first the keys' own buckets by identity, then shared ones by their group.
   *
   * <p>They are looked up, and made, before the first is locked: a table that makes room may have
   * to lock the bucket it gives up, and that may be one of these. Where that happens again and
   * again, because the table is too small for what is taken together, keys without a bucket share
   * one instead of driving each other out.
   */
  void lockAll(InMemoryStore store, Acquisition acquisition) {
    origin = store.origin();
    prepare(acquisition);
    int rounds = 0;
    for (int tries = 0; ; tries++) {
      rounds += lookUp(store, acquisition, rounds < ROUNDS_OF_MAKING) ? 1 : 0;
      sort(acquisition);
      if (tryLockAll(store, acquisition)) {
        return;
      }
      Bucket.pause(tries);
    }
  }

  private void prepare(Acquisition acquisition) {
    size = acquisition.size();
    if (buckets.length < size) {
      buckets = new @Nullable Bucket[size];
      shared = new boolean[size];
      taken = new long[size];
      order = new int[size];
    }
  }

  /** Finds the bucket of every key; returns whether one had to be made. */
  private boolean lookUp(InMemoryStore store, Acquisition acquisition, boolean mayMake) {
    boolean made = false;
    for (int i = 0; i < acquisition.size(); i++) {
      RateLimitKey key = acquisition.key(i);
      Bucket own = store.findOrRemove(key);
      if (own == null && mayMake) {
        own = store.makeBucketOrNull(key);
        made = true;
      }
      shared[i] = own == null;
      buckets[i] = own == null ? store.sharedBucket(key) : own;
    }
    return made;
  }

  /**
   * Returns false, with nothing locked, if a bucket is not open, or if a key that has to share one
   * has one of its own by now. A key's own bucket that is open is the right one: it is closed
   * before the table lets it go.
   */
  private boolean tryLockAll(InMemoryStore store, Acquisition acquisition) {
    doubled = false;
    while (locked < acquisition.size()) {
      int i = order[locked];
      if (isDouble(locked)) {
        noteDouble();
      } else if (!bucket(i).lock()) {
        unlockAll();
        return false;
      }
      locked++;
      if (shared[i] && store.peek(acquisition.key(i)) != null) {
        unlockAll();
        return false;
      }
    }
    return true;
  }

  /** Returns whether the bucket at a place of the order is the one before it, and so locked. */
  private boolean isDouble(int place) {
    return place > 0 && bucket(order[place]) == bucket(order[place - 1]);
  }

  private void noteDouble() {
    doubled = true;
    Arrays.fill(taken, 0, size, 0);
  }

  private void sort(Acquisition acquisition) {
    if (size > FEW) {
      sortMany(acquisition);
      return;
    }
    for (int i = 0; i < size; i++) {
      int at = i;
      while (at > 0 && compare(acquisition, i, order[at - 1]) < 0) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = i;
    }
  }

  private void sortMany(Acquisition acquisition) {
    int[] sorted =
        IntStream.range(0, size)
            .boxed()
            .sorted((i, j) -> compare(acquisition, i, j))
            .mapToInt(Integer::intValue)
            .toArray();
    System.arraycopy(sorted, 0, order, 0, size);
  }

  private int compare(Acquisition acquisition, int i, int j) {
    RateLimitKey a = acquisition.key(i);
    RateLimitKey b = acquisition.key(j);
    int byLimits = a.limits().compareTo(b.limits());
    if (byLimits != 0) {
      return byLimits;
    }
    if (shared[i] || shared[j]) {
      return shared[i] && shared[j]
          ? Integer.compare(OverflowBuckets.groupOf(a), OverflowBuckets.groupOf(b))
          : Boolean.compare(shared[i], shared[j]);
    }
    return a.identity().compareTo(b.identity());
  }

  void unlockAll() {
    while (locked > 0) {
      locked--;
      if (!isDouble(locked)) {
        bucket(order[locked]).unlock();
      }
    }
    Arrays.fill(buckets, 0, size, null);
  }
}
