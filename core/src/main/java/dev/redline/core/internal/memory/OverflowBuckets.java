package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Where keys go that a full table has no room for: a fixed number of groups per rule, each with one
 * bucket that its keys share.
 *
 * <p>A group's bucket owes at least what each of its keys would owe alone, so sharing it can refuse
 * too much and never admit too much; and a key that leaves starts owing what its group owes. (Of an
 * interval refill the group's periods may end at other moments than those of a key alone.)
 */
final class OverflowBuckets {
  private static final int GROUPS = 64;
  private static final String[] NAMES =
      IntStream.range(0, GROUPS).mapToObj(Integer::toString).toArray(String[]::new);

  private final Map<RateLimitKey, Bucket> groups = new ConcurrentHashMap<>();
  private final MicrosClock clock;
  private final long origin;

  OverflowBuckets(MicrosClock clock, long origin) {
    this.clock = clock;
    this.origin = origin;
  }

  private static RateLimitKey group(RateLimitKey key) {
    int hash = key.hashCode();
    return new RateLimitKey(key.limits(), NAMES[(hash ^ hash >>> 16) & GROUPS - 1]);
  }

  /** Returns the bucket of the key's group; one that is closed is replaced. */
  Bucket bucketOf(RateLimitKey key) {
    RateLimitKey group = group(key);
    Bucket bucket = groups.get(group);
    if (bucket != null && !bucket.isClosed()) {
      return bucket;
    }
    if (bucket != null) {
      groups.remove(group, bucket);
    }
    Bucket candidate = Bucket.create(group.limits());
    candidate.open(group.limits());
    Bucket other = groups.putIfAbsent(group, candidate);
    return other == null ? candidate : other;
  }

  /**
   * Opens a key's own new bucket owing what its group owes. The bucket is in the table already, so
   * whoever locks the group's bucket from now on finds the key's own instead; whoever did so before
   * is seen here, because the group is read under its lock. A group that is missing, or closed for
   * being full, owes nothing; one made after it was looked for is made after the key's own.
   */
  void openLike(RateLimitKey key, Bucket bucket) {
    Bucket shared = groups.get(group(key));
    if (shared == null) {
      bucket.open(key.limits());
      return;
    }
    long[] view = viewOf(key.limits());
    if (!shared.lock()) {
      bucket.open(key.limits());
      return;
    }
    try {
      long now = clock.nowMicros();
      shared.view(key.limits(), now, origin, view, 0);
      bucket.open(key.limits(), now, origin, view);
    } finally {
      shared.unlock();
    }
  }

  /** Closes a bucket that has to go, leaving its group to owe at least what it owed. */
  void absorb(RateLimitKey key, Bucket bucket) {
    if (bucket.closeIfNew() || !bucket.lock()) {
      return;
    }
    try {
      if (bucket.microsToFull(key.limits(), clock.nowMicros(), origin) > 0) {
        raise(key, bucket);
      }
    } finally {
      bucket.close();
    }
  }

  private void raise(RateLimitKey key, Bucket bucket) {
    BucketLimits limits = key.limits();
    long[] view = viewOf(limits);
    long[] merged = viewOf(limits);
    Bucket shared = bucketOf(key);
    for (int tries = 0; !shared.lock(); tries++) {
      Bucket.pause(tries);
      shared = bucketOf(key);
    }
    try {
      long now = clock.nowMicros();
      bucket.view(limits, now, origin, view, 0);
      shared.view(limits, now, origin, merged, 0);
      limits.arithmetic().merge(merged, 0, view, 0);
      shared.take(limits, now, origin, merged, 0, 0);
    } finally {
      shared.unlock();
    }
  }

  private static long[] viewOf(BucketLimits limits) {
    return new long[limits.arithmetic().viewWords()];
  }

  /** Makes the buckets of all groups of some owners full. */
  void reset(Set<BucketLimits> owners) {
    groups.forEach(
        (group, bucket) -> {
          if (owners.contains(group.limits())) {
            bucket.refill(group.limits());
          }
        });
  }

  /**
   * Makes the bucket of the key's group full, unless the key has one of its own by then. Decided
   * under the group's lock, so that no acquisition comes between: one that is made after the reset
   * must not be undone by it.
   *
   * @return whether the key shares a bucket, which was full at some moment of this call
   */
  boolean resetUnless(RateLimitKey key, BooleanSupplier hasOwn) {
    Bucket shared = groups.get(group(key));
    if (shared == null || !shared.lock()) {
      return !hasOwn.getAsBoolean();
    }
    if (hasOwn.getAsBoolean()) {
      shared.unlock();
      return false;
    }
    shared.refillLocked(key.limits());
    return true;
  }

  /**
   * Makes the key's own bucket and that of its group full, under both locks, so that no acquisition
   * comes between.
   *
   * @return false, with nothing done, if the own bucket is not open
   */
  boolean resetWith(RateLimitKey key, Bucket own) {
    if (own.closeIfNew() || !own.lock()) {
      return false;
    }
    Bucket shared = groups.get(group(key));
    if (shared != null && shared.lock()) {
      shared.refillLocked(key.limits());
    }
    own.refillLocked(key.limits());
    return true;
  }

  /** Drops the groups whose bucket is full again. */
  void sweep() {
    groups.forEach(
        (group, bucket) -> {
          if (bucket.closeIfFull(group.limits(), clock.nowMicros(), origin) == 0) {
            groups.remove(group, bucket);
          }
        });
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }
}
