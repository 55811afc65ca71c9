package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The generations of rules and plans, as known from Redis. A reset starts a new generation, and
 * buckets of an earlier one count as full. A generation never decreases.
 */
final class Generations {
  private final Map<String, Long> byOwner = new ConcurrentHashMap<>();
  private volatile Consumer<String> listener = field -> {};

  /** Sets what is called with the field of an owner after its generation has changed. */
  void onChange(Consumer<String> newListener) {
    listener = newListener;
  }

  static String field(BucketLimits owner) {
    return (owner.ownerKind() == OwnerKind.RULE ? "r:" : "p:") + owner.ownerId();
  }

  long of(BucketLimits limits) {
    return byOwner.isEmpty() ? 0 : byOwner.getOrDefault(field(limits), 0L);
  }

  /** Stores a generation; returns whether it is newer than the known one. */
  boolean learn(String field, long generation) {
    Long known = byOwner.get(field);
    if (known != null && known >= generation) {
      return false;
    }
    byOwner.merge(field, generation, Math::max);
    listener.accept(field);
    return true;
  }
}
