package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The resets of whole rules, one at a time.
 *
 * <p>A reset takes a while: it visits the overflow groups, then the table. Meanwhile keys move from
 * a group to the table, buckets are removed and made again, and all of them are used. So that no
 * key is reset twice, which would undo an acquisition made in between, every reset has a number and
 * every bucket the number of the reset that it has behind it ({@link Bucket#lastReset}):
 *
 * <ul>
 *   <li>A bucket that is opened full, while a reset of its rule is in progress, has it behind it.
 *   <li>A bucket that is opened with the debt of its group is where its group is.
 *   <li>An evicted bucket and its group are brought to the same side of the reset before the debt
 *       of one is added to the other.
 * </ul>
 *
 * <p>A bucket is in its table before it is opened. So one that was opened without a number, because
 * no reset was in progress, is visited by every reset that begins later.
 */
final class RuleResets {
  /** The number of no reset. */
  static final int NONE = 0;

  private final ReentrantLock oneAtATime = new ReentrantLock();
  private volatile @Nullable Reset inProgress;
  private int lastNumber = NONE;

  /** A reset that visits the buckets of some owners. */
  record Reset(int number, Set<BucketLimits> owners) {
    /** Makes a bucket full if it belongs to one of the owners. */
    void visit(BucketLimits limits, Bucket bucket) {
      if (owners.contains(limits)) {
        bucket.refill(limits, number);
      }
    }
  }

  /** Runs a reset of all buckets of the owners, when those before it have ended. */
  void run(List<BucketLimits> owners, Consumer<Reset> visits) {
    Set<BucketLimits> set = new TreeSet<>(BucketLimits.BY_OWNER);
    set.addAll(owners);
    oneAtATime.lock();
    try {
      lastNumber = lastNumber == Integer.MAX_VALUE ? NONE + 1 : lastNumber + 1;
      Reset reset = new Reset(lastNumber, set);
      inProgress = reset;
      visits.accept(reset);
    } finally {
      inProgress = null;
      oneAtATime.unlock();
    }
  }

  /**
   * Returns the number of the reset in progress if it is one of these limits, else {@link #NONE}.
   */
  int numberFor(BucketLimits limits) {
    Reset reset = inProgress;
    return reset != null && reset.owners.contains(limits) ? reset.number : NONE;
  }
}
