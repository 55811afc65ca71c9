package dev.redline.core.memory;

import dev.redline.core.key.RateLimitKey;
import dev.redline.core.store.Acquisition;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The buckets that one thread holds locked together; reused, so that locking allocates nothing. */
final class Locks {
  private static final ThreadLocal<Locks> OF_THREAD = ThreadLocal.withInitial(Locks::new);

  private @Nullable Bucket[] buckets = new @Nullable Bucket[4];
  private int[] order = new int[4];
  private int size;

  private Locks() {}

  static Locks ofThread() {
    return OF_THREAD.get();
  }

  /** Returns the locked bucket of key {@code i}. */
  Bucket bucket(int i) {
    Bucket bucket = buckets[i];
    if (bucket == null) {
      throw new IllegalStateException("key " + i + " is not locked");
    }
    return bucket;
  }

  /**
   * Locks the buckets of all keys, in the order of their owners, the same for every thread.
   *
   * @return false if one was closed meanwhile, or replaced by a bucket of the key's own; then none
   *     is locked
   */
  boolean lockAll(InMemoryStore store, Acquisition acquisition) {
    size = acquisition.size();
    if (buckets.length < size) {
      buckets = new @Nullable Bucket[size];
      order = new int[size];
    }
    sort(acquisition);
    for (int at = 0; at < size; at++) {
      int i = order[at];
      RateLimitKey key = acquisition.key(i);
      Bucket bucket = store.bucketOf(key);
      if (!bucket.lock()) {
        unlockAll();
        return false;
      }
      buckets[i] = bucket;
      Bucket own = store.find(key);
      if (own != null && own != bucket) {
        unlockAll();
        return false;
      }
    }
    return true;
  }

  private void sort(Acquisition acquisition) {
    for (int i = 0; i < size; i++) {
      int at = i;
      while (at > 0 && isBefore(acquisition, i, order[at - 1])) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = i;
    }
  }

  private static boolean isBefore(Acquisition acquisition, int i, int j) {
    return acquisition.key(i).limits().compareTo(acquisition.key(j).limits()) < 0;
  }

  void unlockAll() {
    for (int i = 0; i < size; i++) {
      Bucket bucket = buckets[i];
      if (bucket != null) {
        bucket.unlock();
      }
    }
    Arrays.fill(buckets, 0, size, null);
  }
}
