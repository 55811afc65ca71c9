package dev.redline.stores.redis;

import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ForgottenHashes;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ends leases: unspent tokens are refunded when a key is not busy any more and when the store is
 * closed, and dropped when the bucket was reset.
 */
final class LeaseEnd {
  /** A block that was closed, and how many of its tokens were unspent and alive. */
  record ClosedBlock(LeaseBlock block, long left) {}

  private static final long IDLE_NANOS = 100_000_000L;
  private static final long SCAN_NANOS = 25_000_000L;

  /** A block this old is not needed: it was meant for a span of {@link HotKeys}. */
  private static final long MAX_AGE_NANOS = 1_000_000_000L;

  private final Map<RateLimitKey, LeasedKey> keys;
  private final LeaseCounts counts;
  private final LongSupplier nanoClock;
  private final ForgottenHashes forgotten;
  private final Generations generations;
  private final LeaseRules rules;
  private final LeaseLog log;
  private final Consumer<List<ClosedBlock>> refund;
  private volatile boolean closed;
  private long scannedNanos;

  /**
   * Creates it.
   *
   * @param refund refunds closed blocks; those of one key are in reverse order of their time
   */
  LeaseEnd(
      Map<RateLimitKey, LeasedKey> keys,
      LeaseCounts counts,
      Generations generations,
      LeaseRules rules,
      LeaseLog log,
      LongSupplier nanoClock,
      Consumer<List<ClosedBlock>> refund) {
    this.nanoClock = nanoClock;
    this.scannedNanos = nanoClock.getAsLong();
    this.forgotten = new ForgottenHashes(scannedNanos);
    this.keys = keys;
    this.counts = counts;
    this.generations = generations;
    this.rules = rules;
    this.log = log;
    this.refund = refund;
    generations.onChange(this::dropOwners);
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Drops a block that was just added if its bucket was reset or the store closed since the request
   * was sent. A reset drops the blocks it finds: either this sees the reset, or the reset sees the
   * block.
   */
  void dropIfOver(LeaseBlock block, long sentNanos) {
    boolean isReset =
        block.generation() != generations.of(block.key().limits())
            || forgotten.isSince(DenyCache.hash(block.key()), sentNanos);
    if (closed || (isReset && rules.dropsAfterReset())) {
      drop(block);
    }
  }

  /** Ends a block without a refund. */
  void drop(LeaseBlock block) {
    long left = block.close();
    if (left != LeaseBlock.NONE) {
      counts.close(block, left);
      counts.drop(left);
    }
  }

  /** Drops the tokens of the rules and plans of some fields, whose buckets were reset. */
  private void dropOwners(Set<String> fields) {
    dropIf(key -> fields.contains(Generations.field(key.limits())));
  }

  /** Drops the tokens of the key that a notice names, whose bucket was reset. */
  void forget(String notice) {
    if (DenyCache.isNotice(notice)) {
      long hash = DenyCache.hash(notice);
      forgotten.add(hash, nanoClock.getAsLong());
      dropIf(key -> DenyCache.hash(key) == hash);
    }
  }

  /** Drops tokens whose buckets were reset. They must not be refunded either. */
  private void dropIf(Predicate<RateLimitKey> isReset) {
    if (!rules.dropsAfterReset()) {
      return;
    }
    for (LeasedKey leased : keys.values()) {
      if (isReset.test(leased.key())) {
        for (LeaseBlock block : leased.blocks()) {
          drop(block);
        }
      }
    }
  }

  /** Refunds the tokens of a key, and removes it from the leased keys. */
  void end(LeasedKey leased) {
    List<ClosedBlock> left = new ArrayList<>(2);
    retire(leased);
    close(leased, left);
    send(left);
  }

  /** Removes a key for which no request is under way, before its last block is closed. */
  private void retire(LeasedKey leased) {
    if (leased.tryRetire()) {
      keys.remove(leased.key(), leased);
    }
  }

  /** Closes the blocks of a key; adds those with tokens to refund. */
  private void close(LeasedKey leased, List<ClosedBlock> to) {
    for (LeaseBlock block : leased.blocks()) {
      long left = block.close();
      if (left == LeaseBlock.NONE) {
        continue;
      }
      counts.close(block, left);
      long alive = block.aliveOf(left, nanoClock.getAsLong());
      counts.drop(left - alive);
      long refundable = rules.refundable(block.tokens(), alive);
      if (refundable > 0) {
        log.refunding(block, refundable);
        to.add(new ClosedBlock(block, refundable));
      }
    }
  }

  private void send(List<ClosedBlock> left) {
    if (!left.isEmpty()) {
      refund.accept(left);
    }
  }

  /** Counts tokens that were to be refunded. */
  void refunded(ClosedBlock block, long bands, long nowMicros) {
    if (bands > 0) {
      counts.refund(block.left());
    } else {
      counts.drop(block.left());
    }
    if (nowMicros > 0) {
      log.refunded(block.block(), block.left(), bands, nowMicros);
    }
  }

  /** Refunds the tokens of keys that are not busy any more; called by one thread. */
  void tick(long nanos) {
    if (keys.isEmpty() || nanos - scannedNanos < SCAN_NANOS) {
      return;
    }
    scannedNanos = nanos;
    List<LeasedKey> ended = new ArrayList<>();
    for (LeasedKey leased : keys.values()) {
      if (nanos - leased.unchangedSince(nanos) >= IDLE_NANOS
          || leased.isOlderThan(nanos - MAX_AGE_NANOS)) {
        ended.add(leased);
      }
    }
    List<ClosedBlock> left = new ArrayList<>();
    for (LeasedKey leased : ended) {
      retire(leased);
      close(leased, left);
    }
    send(left);
  }

  /** Ends all leases with a refund, and those that are added later without one. */
  void close() {
    closed = true;
    List<ClosedBlock> left = new ArrayList<>();
    keys.values().forEach(leased -> close(leased, left));
    send(left);
  }

  /** Takes a spend back, unless the block was closed meanwhile. */
  void restore(@Nullable LeaseBlock block, long cost, long nanos) {
    if (block == null) {
      return;
    }
    if (!block.restore(cost)) {
      counts.dropSpent(cost);
    }
    log.restored(block, cost, nanos);
  }
}
