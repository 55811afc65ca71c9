package dev.redline.stores.redis;

import dev.redline.core.store.RateLimitKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that this process has taken ahead for one key: the newest block, and the one before
 * while it has tokens. At most one request for more is under way.
 */
final class LeasedKey {
  private final RateLimitKey key;
  private final AtomicReference<@Nullable SeenBucket> seen = new AtomicReference<>();
  private final AtomicBoolean requesting = new AtomicBoolean();
  private volatile @Nullable LeaseBlock older;
  private volatile @Nullable LeaseBlock newer;
  private volatile long olderSpentBefore;
  private volatile long pauseUntilNanos;

  // Used by the thread that looks for idle keys.
  private long seenUnspent = -1;
  private long seenNanos;

  LeasedKey(RateLimitKey key, long nanos) {
    this.key = key;
    this.pauseUntilNanos = nanos;
  }

  RateLimitKey key() {
    return key;
  }

  /** Returns whether its tokens are of the limits of a key, which names the same bucket. */
  boolean isOf(RateLimitKey other) {
    return key.limits().equals(other.limits());
  }

  /** Returns the blocks, the newest first. */
  List<LeaseBlock> blocks() {
    LeaseBlock second = newer;
    LeaseBlock first = older;
    if (second == null) {
      return List.of();
    }
    return first == null ? List.of(second) : List.of(second, first);
  }

  /** Returns whether the newest block is of before a time. */
  boolean isOlderThan(long nanos) {
    LeaseBlock newest = newer;
    return newest != null && newest.startNanos() - nanos < 0;
  }

  @Nullable LeaseBlock newer() {
    return newer;
  }

  long usable(long nanos) {
    LeaseBlock first = older;
    LeaseBlock second = newer;
    return (first == null ? 0 : first.usable(nanos)) + (second == null ? 0 : second.usable(nanos));
  }

  /** Returns how many tokens were spent since the newest block was added. */
  long spentSinceNewest() {
    LeaseBlock first = older;
    LeaseBlock second = newer;
    return (first == null ? 0 : Math.max(0, first.spent() - olderSpentBefore))
        + (second == null ? 0 : Math.max(0, second.spent()));
  }

  /** Returns whether one of the blocks has enough tokens: a spend is of one block. */
  boolean hasEnough(long cost, long nanos) {
    LeaseBlock first = older;
    LeaseBlock second = newer;
    return (first != null && first.usable(nanos) >= cost)
        || (second != null && second.usable(nanos) >= cost);
  }

  /** Spends tokens of the older block, which die first; returns the block, or null. */
  @Nullable LeaseBlock spend(long cost, long nanos) {
    LeaseBlock first = older;
    if (first != null && first.spend(cost, nanos) != LeaseBlock.NONE) {
      return first;
    }
    LeaseBlock second = newer;
    return second != null && second.spend(cost, nanos) != LeaseBlock.NONE ? second : null;
  }

  /** Takes note of the bucket as a reply showed it. */
  void see(SeenBucket bucket) {
    seen.accumulateAndGet(
        bucket, (known, other) -> known == null ? other : SeenBucket.later(known, other));
  }

  /** Returns the bucket as it was last seen; null before the first lease. */
  @Nullable SeenBucket seen() {
    return seen.get();
  }

  /** Adds a block; returns the one that had to make room, if any. One thread at a time. */
  @Nullable LeaseBlock add(LeaseBlock block) {
    LeaseBlock replaced = older;
    see(block.bucketAfter());
    LeaseBlock previous = newer;
    olderSpentBefore = previous == null ? 0 : previous.spent();
    older = previous;
    newer = block;
    return replaced;
  }

  /** Returns true if no request is under way, to the only caller that may send one. */
  boolean tryRequest(long nanos) {
    return nanos - pauseUntilNanos >= 0
        && !requesting.get()
        && requesting.compareAndSet(false, true);
  }

  /** Ends a request; the next one is sent after a pause. */
  void endRequest(long pauseUntil) {
    pauseUntilNanos = pauseUntil;
    requesting.set(false);
  }

  /** Returns true if nothing is under way; no request will be sent for this object any more. */
  boolean tryRetire() {
    return requesting.compareAndSet(false, true);
  }

  /** Returns since when nothing was spent, as far as was looked; called by one thread. */
  long unchangedSince(long nanos) {
    LeaseBlock first = older;
    LeaseBlock second = newer;
    long unspent = (first == null ? 0 : first.unspent()) + (second == null ? 0 : second.unspent());
    if (unspent != seenUnspent) {
      seenUnspent = unspent;
      seenNanos = nanos;
    }
    return seenNanos;
  }
}
