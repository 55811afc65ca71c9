package dev.redline.stores.redis;

import dev.redline.core.store.TokenLeases;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Counts leased tokens. A spend counts nothing by itself: what is spent of the open blocks is the
 * difference of what they had and what they have. Such sums fall for a moment while a block is
 * closed, or when a spend is taken back; what is shown never does, since a metrics system takes a
 * counter that falls for one that started again at 0.
 */
final class LeaseCounts implements TokenLeases {
  private final Collection<LeasedKey> keys;
  private final LongSupplier nanoClock;
  private final LongAdder acquired = new LongAdder();
  private final LongAdder spent = new LongAdder();
  private final LongAdder refunded = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final AtomicLong shownSpent = new AtomicLong();
  private final AtomicLong shownDropped = new AtomicLong();

  /** Creates the counts of keys, which is a live view. */
  LeaseCounts(Collection<LeasedKey> keys, LongSupplier nanoClock) {
    this.keys = keys;
    this.nanoClock = nanoClock;
  }

  void acquire(long tokens) {
    acquired.add(tokens);
  }

  /** Counts the spends of a block that was closed, with tokens left. */
  void close(LeaseBlock block, long left) {
    spent.add(block.tokens() - left - block.decayed());
    dropped.add(block.decayed());
  }

  void refund(long tokens) {
    refunded.add(tokens);
  }

  void drop(long tokens) {
    dropped.add(tokens);
  }

  /** Counts a spend that was taken back after its block was closed. */
  void dropSpent(long tokens) {
    spent.add(-tokens);
    dropped.add(tokens);
  }

  private long sum(ToLongFunction<LeaseBlock> number) {
    long sum = 0;
    for (LeasedKey key : keys) {
      for (LeaseBlock block : key.blocks()) {
        sum += block.isClosed() ? 0 : number.applyAsLong(block);
      }
    }
    return sum;
  }

  @Override
  public long acquired() {
    return acquired.sum();
  }

  @Override
  public long spent() {
    // In this order, a block that is closed meanwhile is not counted twice.
    long ofClosed = spent.sum();
    long ofOpen = sum(block -> Math.max(0, block.spent()));
    return shownSpent.accumulateAndGet(ofClosed + ofOpen, Math::max);
  }

  @Override
  public long refunded() {
    return refunded.sum();
  }

  @Override
  public long dropped() {
    return shownDropped.accumulateAndGet(dropped.sum() + sum(LeaseBlock::decayed), Math::max);
  }

  @Override
  public long held() {
    long now = nanoClock.getAsLong();
    return sum(block -> block.usable(now));
  }
}
