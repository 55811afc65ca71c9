package dev.redline.core.internal.remote;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When the hash of a key was last forgotten, because its bucket was reset. Of fixed size: hashes
 * share a time, so one may seem to be forgotten later than it was. Thread-safe.
 */
public final class ForgottenHashes {
  private static final int STAMPS = 1024;

  private final AtomicLongArray nanos = new AtomicLongArray(STAMPS);

  /**
   * Creates a table in which no hash is forgotten.
   *
   * @param nowNanos the current time; calls that were sent before it count as forgotten
   */
  public ForgottenHashes(long nowNanos) {
    for (int i = 0; i < STAMPS; i++) {
      nanos.set(i, nowNanos);
    }
  }

  private static int stamp(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 46) & (STAMPS - 1);
  }

  /** Records that a hash is forgotten. */
  public void add(long hash, long nowNanos) {
    nanos.set(stamp(hash), nowNanos);
  }

  /** Returns whether a hash was forgotten after a time. */
  public boolean isSince(long hash, long thenNanos) {
    return nanos.get(stamp(hash)) - thenNanos > 0;
  }
}
