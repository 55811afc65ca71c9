package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The generations of rules and plans, as known from Redis. A reset starts a new generation, and
 * buckets of an earlier one count as full. A generation never decreases.
 */
final class Generations {
  private final Map<String, Long> byOwner = new ConcurrentHashMap<>();
  private volatile Consumer<Set<String>> listener = fields -> {};

  /**
   * Sets what is called with the fields of owners after their generations have changed: once for
   * all owners of a reset, since there may be thousands of them.
   */
  void onChange(Consumer<Set<String>> newListener) {
    listener = newListener;
  }

  static String field(BucketLimits owner) {
    return (owner.ownerKind() == OwnerKind.RULE ? "r:" : "p:") + owner.ownerId();
  }

  long of(BucketLimits limits) {
    return byOwner.isEmpty() ? 0 : byOwner.getOrDefault(field(limits), 0L);
  }

  /** Stores generations, unless newer ones are known. */
  void learn(Map<String, Long> found) {
    Set<String> changed = new HashSet<>();
    found.forEach(
        (field, generation) -> {
          Long known = byOwner.get(field);
          if (known == null || known < generation) {
            byOwner.merge(field, generation, Math::max);
            changed.add(field);
          }
        });
    if (!changed.isEmpty()) {
      listener.accept(changed);
    }
  }
}
