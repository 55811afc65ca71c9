package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;

/**
 * Decides how many tokens to take ahead: what this process needs in a span of {@link HotKeys}, but
 * at most a quarter of what is left and its share of the capacity, unspent tokens included. A key
 * that was denied within the last second, or has nearly nothing left, gets none: then every token
 * is decided by Redis, and no process holds tokens that another one needs.
 */
final class LeaseSize {
  /** Fewer tokens are not worth a request. */
  static final int LEAST = 8;

  /** A key keeps its leases until it needs fewer tokens than this in a span. */
  private static final int LEAST_RENEWED = LEAST / 2;

  /** A lease for fewer requests saves no trips. */
  private static final int LEAST_REQUESTS = 2;

  private static final int PART_OF_REMAINING = 4;

  /** How much larger than the last one a renewal may be, because a short time is a poor measure. */
  private static final int MAX_GROWTH = 4;

  private static final long SHORTEST_NANOS = 500_000L;

  private final double maxShare;
  private final HotKeys hotKeys;

  LeaseSize(double maxShare, HotKeys hotKeys) {
    this.maxShare = maxShare;
    this.hotKeys = hotKeys;
  }

  private long share(BucketLimits limits) {
    return (long) (limits.arithmetic().capacity() * maxShare);
  }

  /** Returns whether buckets of these limits may be leased: neither too small nor by intervals. */
  boolean mayLease(BucketLimits limits) {
    return share(limits) >= LEAST && limits.arithmetic().isLeasable();
  }

  /**
   * Returns how much to lease of a key after an acquisition of it passed; 0 for nothing.
   *
   * @param held how many tokens this process has already
   */
  long ofFirst(RateLimitKey key, long[] views, int v, long cost, long nanos, long held) {
    long demand = hotKeys.demand(key, nanos);
    if (held > demand / 2 || hotKeys.isScarce(key, nanos)) {
      return 0;
    }
    return size(key, demand, LEAST, views, v, cost, held);
  }

  /** Returns the size of the next lease of a key; 0 for none. */
  long ofRenewal(LeasedKey leased, long cost, long nanos) {
    LeaseBlock newest = leased.newer();
    RateLimitKey key = leased.key();
    SeenBucket bucket = leased.seen();
    if (newest == null || bucket == null || newest.isClosed() || hotKeys.isScarce(key, nanos)) {
      return 0;
    }
    double elapsed = Math.max(SHORTEST_NANOS, nanos - newest.startNanos());
    long measured = (long) (leased.spentSinceNewest() * (HotKeys.SPAN_NANOS / elapsed));
    long demand = Math.min(measured, MAX_GROWTH * newest.tokens());
    long[] views = new long[key.limits().arithmetic().viewWords()];
    bucket.view(nanos, views, 0);
    return size(
        key,
        Math.max(demand, hotKeys.demand(key, nanos)),
        LEAST_RENEWED,
        views,
        0,
        cost,
        leased.usable(nanos));
  }

  private long size(
      RateLimitKey key, long demand, long least, long[] views, int v, long cost, long held) {
    long worthwhile = Math.max(least, LEAST_REQUESTS * cost);
    long remaining = key.limits().arithmetic().remaining(views, v) - cost;
    if (demand < worthwhile || remaining < LEAST * cost) {
      return 0;
    }
    long wanted = Math.max(demand, lasting(key.limits(), views, v));
    long tokens =
        Math.min(Math.min(wanted, remaining / PART_OF_REMAINING), share(key.limits()) - held);
    return tokens < worthwhile ? 0 : tokens;
  }

  /**
   * Returns how many tokens to take so that the last of them dies after a span, not before. Of a
   * nearly full bucket these are more than are spent, because they die from the start, as fast as
   * refill replaces them. Nothing is lost: a full bucket has no use for its refill. Of a bucket to
   * which refill adds for a span or longer, none are needed, so what all processes take this way
   * does not add up.
   */
  private static long lasting(BucketLimits limits, long[] views, int v) {
    long tokens = 0;
    for (int b = 0; b < limits.size(); b++) {
      BandArithmetic band = limits.band(b);
      long dieAfter = band.leaseMicros(views, v + b * BandArithmetic.VIEW_WORDS);
      if (band.tokenNanos() > 0 && dieAfter < HotKeys.SPAN_NANOS / 1000) {
        tokens = Math.max(tokens, (HotKeys.SPAN_NANOS - 1000 * dieAfter) / band.tokenNanos());
      }
    }
    return tokens;
  }
}
