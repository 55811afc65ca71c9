package dev.redline.core;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The part of each limit that this node grants by itself while the shared store fails. */
final class LocalShare {
  private static final int MAX_KEPT = 20_000;

  private final double part;
  private final Map<BucketLimits, BucketLimits> kept = new ConcurrentHashMap<>();

  LocalShare(double part) {
    this.part = part;
  }

  /** Returns the acquisition from this node's part of the limits. */
  Acquisition of(Acquisition whole) {
    if (part == 1) {
      return whole;
    }
    Acquisition.Builder own = Acquisition.builder().dryRun(whole.dryRun());
    for (int i = 0; i < whole.size(); i++) {
      RateLimitKey key = whole.key(i);
      own.add(new RateLimitKey(of(key.limits()), key.identity()), whole.cost(i), whole.shadow(i));
    }
    return own.build();
  }

  private BucketLimits of(BucketLimits limits) {
    BucketLimits known = kept.get(limits);
    if (known != null && known.hasLabelsOf(limits)) {
      return known;
    }
    BucketLimits scaled = limits.share(part);
    if (kept.size() < MAX_KEPT) {
      kept.put(limits, scaled);
    }
    return scaled;
  }

  /** Forgets the parts of limits; those in force are worked out again. */
  void forget() {
    kept.clear();
  }
}
