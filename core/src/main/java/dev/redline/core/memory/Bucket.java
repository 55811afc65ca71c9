package dev.redline.core.memory;

import dev.redline.core.limit.BucketLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of one bucket in this process.
 *
 * <p>The lowest bit of its word is a spin lock, held for nanoseconds and never across a call into
 * the table that holds the bucket. One word suffices for a single continuous token bucket, which is
 * then taken from by one compare-and-set; everything else keeps its words beside the lock.
 *
 * <p>A bucket is <em>new</em>, then <em>open</em>, then <em>closed</em>; only an open one is used,
 * and whoever meets another looks into the table again. It stands in the table before it is opened
 * and until after it is closed, so a key never has two open buckets; and one that is closed while
 * new can no longer be opened, so nothing is taken from a bucket that the table has given up.
 *
 * <p>Who decides reads the clock after the state: whatever wrote that state read the clock before,
 * so time seems to run backwards only if the clock really did, and a thread that lost its processor
 * between clock and state cannot turn a bucket back.
 */
public abstract sealed class Bucket permits PackedBucket, WideBucket {
  static final long LOCKED = 1;

  private static final long NEW = Long.MIN_VALUE | LOCKED;
  private static final long CLOSED = NEW + 2;

  private static final VarHandle WORD;
  private static final int SPINS = 64;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Bucket.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word = NEW;

  /** Creates a bucket of the kind the limits need. */
  static Bucket create(BucketLimits limits) {
    return limits.packedOrNull() != null ? new PackedBucket() : new WideBucket(limits);
  }

  /** Writes the state of a bucket nobody has taken from; returns its word, unlocked. */
  abstract long fresh(BucketLimits limits);

  /**
   * Writes the state that follows when {@code cost} is taken from all bands of a view; returns its
   * word, unlocked.
   *
   * @param origin the moment that words of the store count from
   */
  abstract long after(BucketLimits limits, long now, long origin, long[] view, int v, long cost);

  /** Reads all bands at {@code now} into the view; under the lock. Returns whether to repair. */
  abstract boolean view(BucketLimits limits, long now, long origin, long[] view, int v);

  /** Returns whether the bucket tells no more than its absence would; under the lock. */
  abstract boolean isFresh(BucketLimits limits, long now, long origin);

  /** Returns whether it is worth the lock to ask {@link #isFresh}. */
  abstract boolean mayBeFresh(BucketLimits limits, long now, long origin);

  final long word() {
    return word;
  }

  final boolean compareAndSet(long expected, long value) {
    return WORD.compareAndSet(this, expected, value);
  }

  /** Lets a new bucket be used as one nobody has taken from, unless it was closed meanwhile. */
  final void open(BucketLimits limits) {
    compareAndSet(NEW, fresh(limits));
  }

  /** Lets a new bucket be used in the state that a view shows, unless it was closed meanwhile. */
  final void open(BucketLimits limits, long now, long origin, long[] view) {
    compareAndSet(NEW, after(limits, now, origin, view, 0, 0));
  }

  /** Takes from all bands of a view; under the lock. */
  final void take(BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    WORD.set(this, after(limits, now, origin, view, v, cost) | LOCKED);
  }

  /** Takes the lock, or returns false if the bucket is not open. */
  final boolean lock() {
    int spins = 0;
    while (true) {
      long current = word;
      if (!isOpen(current)) {
        return false;
      }
      if ((current & LOCKED) == 0 && compareAndSet(current, current | LOCKED)) {
        return true;
      }
      pause(spins++);
    }
  }

  static boolean isOpen(long word) {
    return word != NEW && word != CLOSED;
  }

  /** Gives the lock back; what was written under it is seen by whoever takes it next. */
  final void unlock() {
    WORD.setRelease(this, word & ~LOCKED);
  }

  /** Closes a bucket that is locked. */
  final void close() {
    word = CLOSED;
  }

  /** Closes the bucket if it is new; returns whether it was. */
  final boolean closeIfNew() {
    return compareAndSet(NEW, CLOSED);
  }

  /**
   * Makes the bucket one nobody has taken from; one that is new is closed instead, since it may be
   * about to be opened in another state.
   */
  final void refresh(BucketLimits limits) {
    if (!closeIfNew() && lock()) {
      word = fresh(limits);
    }
  }

  /** Closes the bucket if it tells no more than its absence would; returns whether. */
  final boolean closeIfFresh(BucketLimits limits, long now, long origin) {
    if (!mayBeFresh(limits, now, origin) || !lock()) {
      return false;
    }
    boolean fresh = isFresh(limits, now, origin);
    if (fresh) {
      close();
    } else {
      unlock();
    }
    return fresh;
  }

  /** Waits a moment for a lock whose holder may have lost its processor. */
  @SuppressWarnings("ThreadPriorityCheck")
  static void pause(int spins) {
    if (spins < SPINS) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }
}
