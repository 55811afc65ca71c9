package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Where keys go that a full table has no room for: a fixed number of groups per rule, each with one
 * bucket that its keys share.
 *
 * <p>The debt of a group's bucket is at least that of each of its keys alone, so sharing it can
 * deny too much and never allow too much. A key that leaves starts with the debt of its group. (Of
 * an interval refill the group's periods may end at other moments than those of a key alone.)
 */
final class OverflowBuckets {
  private static final int GROUPS = 64;
  private static final String[] NAMES =
      IntStream.range(0, GROUPS).mapToObj(Integer::toString).toArray(String[]::new);

  private final Map<RateLimitKey, Bucket> groups = new ConcurrentHashMap<>();
  private final MicrosClock clock;
  private final long origin;
  private final RuleResets resets;

  OverflowBuckets(MicrosClock clock, long origin, RuleResets resets) {
    this.clock = clock;
    this.origin = origin;
    this.resets = resets;
  }

  private static RateLimitKey group(RateLimitKey key) {
    return new RateLimitKey(key.limits(), NAMES[groupOf(key)]);
  }

  /** Returns the number of the key's group among those of its owner. */
  static int groupOf(RateLimitKey key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & GROUPS - 1;
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
    Bucket other = groups.putIfAbsent(group, candidate);
    if (other != null) {
      return other;
    }
    candidate.open(group.limits(), resets.numberFor(group.limits()));
    return candidate;
  }

  /**
   * Opens the new bucket of a key with the debt of its group. The bucket is in the table already,
   * so a thread that locks the group's bucket later finds the key's own bucket instead. What a
   * thread acquired from the group before is included, because the group is read under its lock. A
   * group that is missing, or closed because it was full, has no debt; a group that is created
   * after this method looked for it is created after the key's own bucket.
   */
  void openLike(RateLimitKey key, Bucket bucket) {
    BucketLimits limits = key.limits();
    Bucket shared = groups.get(group(key));
    if (shared == null || !shared.lock()) {
      bucket.open(limits, resets.numberFor(limits));
      return;
    }
    try {
      long[] view = viewOf(limits);
      long now = clock.nowMicros();
      shared.view(limits, now, origin, view, 0);
      bucket.open(limits, now, origin, view, shared.lastReset());
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
      int reset = resets.numberFor(limits);
      boolean bucketIsReset = bucket.lastReset() == reset;
      boolean groupIsReset = shared.lastReset() == reset;
      if (reset != RuleResets.NONE && groupIsReset && !bucketIsReset) {
        // The debt is older than the reset.
        return;
      }
      if (reset != RuleResets.NONE && bucketIsReset && !groupIsReset) {
        shared.refillLocked(limits, reset);
      }
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

  /** Visits the buckets of all groups. */
  void reset(RuleResets.Reset reset) {
    groups.forEach((group, bucket) -> reset.visit(group.limits(), bucket));
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
    shared.refillAndUnlock(key.limits());
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
      shared.refillAndUnlock(key.limits());
    }
    own.refillAndUnlock(key.limits());
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
