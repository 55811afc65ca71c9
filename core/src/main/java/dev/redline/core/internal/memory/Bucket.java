package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The state of one bucket in this process.
 *
 * <p>The lowest bit of its word is a spin lock, held for nanoseconds and never across a call into
 * the table that holds the bucket. One word suffices for a single continuous token bucket, which is
 * then taken from by one compare-and-set; everything else keeps its words beside the lock.
 *
 * <p>A bucket is <em>new</em>, then <em>open</em>, then <em>closed</em>; only an open one is used.
 * A new one will be opened soon, so a thread that finds one looks into the table again. A closed
 * one stays closed, so a thread that finds one removes it and treats the key as absent: the thread
 * that closed it may be late, or may have failed. A bucket stands in the table before it is opened
 * and until after it is closed, so a key never has two open buckets; and one that is closed while
 * new can no longer be opened, so nothing is taken from a bucket that the table has given up.
 *
 * <p>A decision reads the clock after the state. The thread that wrote the state read the clock
 * before, so time seems to run backwards only if the clock really did, and a thread that lost its
 * processor between clock and state cannot turn a bucket back.
 */
public abstract sealed class Bucket permits PackedBucket, WideBucket {
  static final long LOCKED = 1;

  private static final long NEW = Long.MIN_VALUE | LOCKED;
  private static final long CLOSED = NEW + 2;

  private static final VarHandle WORD;
  private static final int SPINS = 256;
  private static final long PARK_NANOS = 20_000;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Bucket.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word = NEW;

  /** See {@link RuleResets}. Written before the bucket is opened, then only under the lock. */
  private int lastReset = RuleResets.NONE;

  /** Creates a bucket of the kind the limits need. */
  static Bucket create(BucketLimits limits) {
    return limits.packedOrNull() != null ? new PackedBucket() : new WideBucket(limits);
  }

  /** Writes the state of a full bucket; returns its word, unlocked. */
  abstract long full(BucketLimits limits);

  /**
   * Writes the state that follows when {@code cost} is taken from all bands of a view; returns its
   * word, unlocked.
   *
   * @param origin the moment that words of the store count from
   */
  abstract long after(BucketLimits limits, long now, long origin, long[] view, int v, long cost);

  /** Reads all bands at {@code now} into the view; under the lock. Returns whether to repair. */
  abstract boolean view(BucketLimits limits, long now, long origin, long[] view, int v);

  /** Returns in how many microseconds the bucket is full, 0 if it is; under the lock. */
  abstract long microsToFull(BucketLimits limits, long now, long origin);

  /** Returns at least how many microseconds pass until the bucket is full, read without a lock. */
  abstract long minMicrosToFull(BucketLimits limits, long now, long origin);

  final long word() {
    return word;
  }

  final boolean compareAndSet(long expected, long value) {
    return WORD.compareAndSet(this, expected, value);
  }

  /** Opens a new bucket full, unless it was closed meanwhile. */
  final void open(BucketLimits limits, int behindReset) {
    lastReset = behindReset;
    compareAndSet(NEW, full(limits));
  }

  /** Opens a new bucket in the state that a view shows, unless it was closed meanwhile. */
  final void open(BucketLimits limits, long now, long origin, long[] view, int behindReset) {
    lastReset = behindReset;
    compareAndSet(NEW, after(limits, now, origin, view, 0, 0));
  }

  /** Returns the number of the last reset of its rule that the state follows; under the lock. */
  final int lastReset() {
    return lastReset;
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

  /** Returns whether the bucket is closed, and so will never be used again. */
  final boolean isClosed() {
    return word == CLOSED;
  }

  /** Unlocks; the next thread that locks sees what was written under the lock. */
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
   * Makes the bucket full, unless it has the reset behind it. One that is new is closed instead,
   * since its creator may be about to open it in another state.
   */
  final void refill(BucketLimits limits, int reset) {
    if (closeIfNew() || !lock()) {
      return;
    }
    if (lastReset != reset) {
      refillLocked(limits, reset);
    }
    unlock();
  }

  /** Makes a bucket full that is locked, and stays so; it has the reset behind it then. */
  final void refillLocked(BucketLimits limits, int reset) {
    lastReset = reset;
    WORD.set(this, full(limits) | LOCKED);
  }

  /** Makes a locked bucket full, and unlocks it. */
  final void refillAndUnlock(BucketLimits limits) {
    word = full(limits);
  }

  /**
   * Closes the bucket if it is full.
   *
   * @return 0 if it is closed, by this call or before; else in how many microseconds it is full,
   *     {@link Long#MAX_VALUE} if it is not open yet
   */
  final long closeIfFull(BucketLimits limits, long now, long origin) {
    long atLeast = minMicrosToFull(limits, now, origin);
    if (atLeast > 0) {
      return atLeast;
    }
    if (!lock()) {
      return isClosed() ? 0 : Long.MAX_VALUE;
    }
    long micros = Long.MAX_VALUE;
    try {
      micros = microsToFull(limits, now, origin);
    } finally {
      if (micros == 0) {
        close();
      } else {
        unlock();
      }
    }
    return micros;
  }

  /**
   * Waits a moment for another thread, which may have lost its processor. Parks rather than yields:
   * virtual threads that yield keep their carriers busy, and the thread they wait for may never get
   * one.
   */
  static void pause(int spins) {
    if (spins < SPINS) {
      Thread.onSpinWait();
      return;
    }
    boolean interrupted = Thread.interrupted();
    if (interrupted) {
      // Uses up the permit that the interrupt below left behind in the round before.
      LockSupport.parkNanos(PARK_NANOS);
    }
    LockSupport.parkNanos(PARK_NANOS);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
