package dev.redline.core.internal.remote;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.Acquisition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generations of rules and plans, as this node knows them. A reset starts a new generation, and
 * buckets of an earlier one count as full. A generation is a time in microseconds and never
 * decreases; 0 before the first reset.
 */
public final class ResetGenerations {
  private final Map<String, Long> byOwner = new ConcurrentHashMap<>();

  /** Creates generations of which none was reset. */
  public ResetGenerations() {}

  /** Returns the name under which the generation of an owner is shared. */
  public static String name(BucketLimits owner) {
    return (owner.ownerKind() == OwnerKind.RULE ? "r:" : "p:") + owner.ownerId();
  }

  /** Returns the generation of the owner of limits. */
  public long of(BucketLimits limits) {
    return byOwner.isEmpty() ? 0 : byOwner.getOrDefault(name(limits), 0L);
  }

  /** Returns the generation of each key of an acquisition. */
  public long[] of(Acquisition acquisition) {
    long[] known = new long[acquisition.size()];
    for (int i = 0; i < known.length; i++) {
      known[i] = of(acquisition.key(i).limits());
    }
    return known;
  }

  /** Stores a generation unless a later one is known. */
  public void learn(String name, long generation) {
    byOwner.merge(name, generation, Math::max);
  }
}
