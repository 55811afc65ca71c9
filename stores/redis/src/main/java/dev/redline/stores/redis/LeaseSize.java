package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;

/**
 * Decides how many tokens to take ahead: what this process needs in 20 ms, but at most a quarter of
 * what is left and its share of the capacity, unspent tokens included. A key that was denied within
 * the last second, or has nearly nothing left, gets none: then every token is decided by Redis, and
 * no process holds tokens that another one needs.
 */
final class LeaseSize {
  /** Fewer tokens are not worth a request. */
  static final int LEAST = 8;

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
    if (demand < LEAST || held > demand / 2 || hotKeys.isScarce(key, nanos)) {
      return 0;
    }
    long remaining = key.limits().arithmetic().remaining(views, v) - cost;
    return size(key, demand, remaining, cost, held);
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
    long spent = newest.tokens() - newest.unspent() - newest.decayed();
    long measured = (long) (spent * (HotKeys.SPAN_NANOS / elapsed));
    long demand = Math.min(measured, MAX_GROWTH * newest.tokens());
    long[] views = new long[key.limits().arithmetic().viewWords()];
    bucket.view(nanos, views, 0);
    long remaining = key.limits().arithmetic().remaining(views, 0);
    return size(
        key, Math.max(demand, hotKeys.demand(key, nanos)), remaining, cost, leased.usable(nanos));
  }

  private long size(RateLimitKey key, long demand, long remaining, long cost, long held) {
    if (remaining < LEAST * cost) {
      return 0;
    }
    long tokens =
        Math.min(Math.min(demand, remaining / PART_OF_REMAINING), share(key.limits()) - held);
    return tokens < Math.max(LEAST, LEAST_REQUESTS * cost) ? 0 : tokens;
  }
}
