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
  private int[] order = new int[4];
  private int size;
  private int locked;
  private long origin;

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
    bucket(key).take(limits, nowMicros, origin, views, v, cost);
  }

  /**
   * Locks the buckets of all keys, in the order of their owners, the same for every thread.
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
      order = new int[size];
    }
    sort(acquisition);
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
    while (locked < acquisition.size()) {
      int i = order[locked];
      if (!bucket(i).lock()) {
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

  private static int compare(Acquisition acquisition, int i, int j) {
    return acquisition.key(i).limits().compareTo(acquisition.key(j).limits());
  }

  void unlockAll() {
    while (locked > 0) {
      locked--;
      bucket(order[locked]).unlock();
    }
    Arrays.fill(buckets, 0, size, null);
  }
}
