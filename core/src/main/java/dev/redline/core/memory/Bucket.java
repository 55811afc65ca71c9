package dev.redline.core.memory;

import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of one bucket in this process.
 *
 * <p>The lowest bit of its word is a spin lock, held for nanoseconds and never across a call out. A
 * closed bucket is locked for good: not opened yet, or retired; whoever meets it looks again. One
 * word suffices for a single continuous token bucket, which is then taken from by one
 * compare-and-set; everything else keeps its words beside the lock.
 */
public abstract sealed class Bucket permits PackedBucket, WideBucket {
  static final long LOCKED = 1;
  static final long CLOSED = Long.MIN_VALUE | LOCKED;

  private static final VarHandle WORD;
  private static final int SPINS = 64;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Bucket.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word = CLOSED;

  /** Returns a new bucket of the kind the limits need, closed until {@link #open} is called. */
  static Bucket closed(BucketLimits limits) {
    return limits.packedOrNull() != null ? new PackedBucket() : new WideBucket(limits);
  }

  /** Lets a closed bucket be used, in the state of one nobody has taken from. */
  abstract void open(BucketLimits limits);

  /**
   * Lets a closed bucket be used, in the state that a view shows.
   *
   * @param origin the moment that words of the store count from
   */
  abstract void open(BucketLimits limits, long now, long origin, long[] view, int v);

  /** Reads all bands at {@code now} into the view; under the lock. Returns whether to repair. */
  abstract boolean view(BucketLimits limits, long now, long origin, long[] view, int v);

  /** Writes what follows when {@code cost} is taken from all bands; under the lock. */
  abstract void take(BucketLimits limits, long now, long origin, long[] view, int v, long cost);

  final long word() {
    return word;
  }

  final void word(long value) {
    word = value;
  }

  final boolean compareAndSet(long expected, long value) {
    return WORD.compareAndSet(this, expected, value);
  }

  /** Takes the lock, or returns false if the bucket is closed. */
  final boolean lock() {
    int spins = 0;
    while (true) {
      long current = word;
      if (current == CLOSED) {
        return false;
      }
      if ((current & LOCKED) == 0 && compareAndSet(current, current | LOCKED)) {
        return true;
      }
      pause(spins++);
    }
  }

  final void unlock() {
    WORD.setRelease(this, word & ~LOCKED);
  }

  /** Closes a locked bucket for good. */
  final void close() {
    word = CLOSED;
  }

  /** Closes the bucket for good if it tells no more than its absence would; returns whether. */
  final boolean closeIfFresh(BucketLimits limits, long now, long origin, long[] view) {
    if (!lock()) {
      return false;
    }
    boolean repair = view(limits, now, origin, view, 0);
    boolean fresh = !repair;
    for (int b = 0; fresh && b < limits.size(); b++) {
      fresh = limits.band(b).isFresh(view, b * BandArithmetic.VIEW_WORDS);
    }
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
