package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.List;

/** Limits, keys and short calls for the tests of this package. */
final class Fixture {
  static final long START = 1_763_230_000_000_000L;
  static final long SECOND = 1_000_000L;

  private Fixture() {}

  static BucketLimits limits(String rule, RateLimitBand... bands) {
    return new BucketLimits(BucketLimits.OwnerKind.RULE, rule, List.of(bands));
  }

  /** Returns a band that refills too slowly to matter. */
  static RateLimitBand slow(long capacity) {
    return RateLimitBand.of(capacity, 1, Duration.ofDays(365));
  }

  static RateLimitBand perSecond(long capacity) {
    return RateLimitBand.of(capacity, 1, Duration.ofSeconds(1));
  }

  /** Returns three bands of which the first binds; needs a bucket of several words. */
  static BucketLimits three(String rule, long capacity) {
    return limits(
        rule,
        slow(capacity),
        RateLimitBand.slidingWindow(capacity * 2, Duration.ofDays(365)),
        RateLimitBand.fixedWindow(capacity * 3, Duration.ofDays(365)));
  }

  static RateLimitKey key(BucketLimits limits, Object identity) {
    return new RateLimitKey(limits, String.valueOf(identity));
  }

  static boolean take(StorageProvider store, RateLimitKey key, long cost) {
    return decide(store, Acquisition.of(key, cost)).allowed();
  }

  static Outcome decide(StorageProvider store, Acquisition acquisition) {
    Outcome outcome = new Outcome();
    store.acquireNow(acquisition, outcome);
    return outcome;
  }

  /** Returns how much of {@code cost} 1 a key still gives; empties it. */
  static int drain(StorageProvider store, RateLimitKey key) {
    int taken = 0;
    while (take(store, key, 1)) {
      taken++;
    }
    return taken;
  }
}
