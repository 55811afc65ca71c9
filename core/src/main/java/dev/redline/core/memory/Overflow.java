package dev.redline.core.memory;

import dev.redline.core.key.RateLimitKey;
import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * Where keys go that a full table has no room for: a fixed number of groups per rule, each with one
 * bucket that its keys share.
 *
 * <p>A group's bucket is at least as indebted as any of its keys would be, so sharing it can refuse
 * too much and never admit too much; and a key that leaves starts as indebted as its group.
 */
final class Overflow {
  private static final int GROUPS = 64;

  private final Map<RateLimitKey, Bucket> groups = new ConcurrentHashMap<>();
  private final long origin;

  Overflow(long origin) {
    this.origin = origin;
  }

  private static RateLimitKey group(RateLimitKey key) {
    int hash = key.hashCode();
    int group = (hash ^ hash >>> 16) & GROUPS - 1;
    return new RateLimitKey(key.limits(), Integer.toString(group));
  }

  /** Returns the bucket of the key's group. */
  Bucket bucketOf(RateLimitKey key) {
    RateLimitKey group = group(key);
    Bucket bucket = groups.get(group);
    if (bucket != null) {
      return bucket;
    }
    Bucket candidate = Bucket.closed(group.limits());
    candidate.open(group.limits());
    Bucket other = groups.putIfAbsent(group, candidate);
    return other == null ? candidate : other;
  }

  /**
   * Opens a key's own new bucket as indebted as its group. The bucket is in the table already, so
   * that whoever locks the group's bucket after this reads it finds the key's own instead.
   */
  void openLike(RateLimitKey key, Bucket bucket, long now) {
    Bucket shared = groups.isEmpty() ? null : groups.get(group(key));
    if (shared == null || !shared.lock()) {
      bucket.open(key.limits());
      return;
    }
    try {
      long[] view = new long[key.limits().size() * BandArithmetic.VIEW_WORDS];
      shared.view(key.limits(), now, origin, view, 0);
      bucket.open(key.limits(), now, origin, view, 0);
    } finally {
      shared.unlock();
    }
  }

  /** Closes a bucket that has to go, leaving its group at least as indebted as it was. */
  void absorb(RateLimitKey key, Bucket bucket, long now) {
    if (!bucket.lock()) {
      return;
    }
    BucketLimits limits = key.limits();
    long[] view = new long[limits.size() * BandArithmetic.VIEW_WORDS];
    bucket.view(limits, now, origin, view, 0);
    if (!isFresh(limits, view)) {
      raise(key, now, view);
    }
    bucket.close();
  }

  private static boolean isFresh(BucketLimits limits, long[] view) {
    for (int b = 0; b < limits.size(); b++) {
      if (!limits.band(b).isFresh(view, b * BandArithmetic.VIEW_WORDS)) {
        return false;
      }
    }
    return true;
  }

  private void raise(RateLimitKey key, long now, long[] view) {
    BucketLimits limits = key.limits();
    Bucket shared = bucketOf(key);
    while (!shared.lock()) {
      shared = bucketOf(key);
    }
    long[] merged = new long[view.length];
    shared.view(limits, now, origin, merged, 0);
    for (int b = 0; b < limits.size(); b++) {
      int v = b * BandArithmetic.VIEW_WORDS;
      limits.band(b).merge(merged, v, view, v);
    }
    shared.take(limits, now, origin, merged, 0, 0);
    shared.unlock();
  }

  /** Drops the groups that the given test closes. */
  void reclaim(BiPredicate<RateLimitKey, Bucket> closes) {
    groups.forEach(
        (group, bucket) -> {
          if (closes.test(group, bucket)) {
            groups.remove(group, bucket);
          }
        });
  }

  int size() {
    return groups.size();
  }
}
