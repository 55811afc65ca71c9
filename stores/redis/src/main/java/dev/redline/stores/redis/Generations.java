package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * From which moment on the buckets of a rule or plan count: buckets of an earlier generation are
 * fresh ones. Known from Redis, where resets are written down; a generation never goes back.
 */
final class Generations {
  private final Map<String, Long> byOwner = new ConcurrentHashMap<>();

  static String field(BucketLimits owner) {
    return (owner.ownerKind() == OwnerKind.RULE ? "r:" : "p:") + owner.ownerId();
  }

  long of(BucketLimits limits) {
    return byOwner.isEmpty() ? 0 : byOwner.getOrDefault(field(limits), 0L);
  }

  /** Learns a generation; returns whether it is news. */
  boolean learn(String field, long generation) {
    Long known = byOwner.get(field);
    if (known != null && known >= generation) {
      return false;
    }
    byOwner.merge(field, generation, Math::max);
    return true;
  }
}
