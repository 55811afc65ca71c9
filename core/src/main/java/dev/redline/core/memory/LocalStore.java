package dev.redline.core.memory;

import dev.redline.core.internal.memory.HashTableStore;
import dev.redline.core.store.MicrosClock;

/**
 * The store {@code LOCAL}: a bounded hash table of buckets in this process.
 *
 * <p>Full buckets are removed in the background, by a daemon thread that sleeps while the table is
 * empty. When all buckets of a full table are in use, new keys share the buckets of their overflow
 * group until there is room: memory stays bounded, and no caller gets a full bucket because of
 * others.
 */
public final class LocalStore extends HashTableStore {
  /** The default of {@code maxKeys}. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  /** Creates a store of up to {@link #DEFAULT_MAX_KEYS} keys on the monotonic clock. */
  public LocalStore() {
    this(DEFAULT_MAX_KEYS, MicrosClock.monotonic());
  }

  /** Creates a store of up to {@code maxKeys} keys on a clock. */
  public LocalStore(long maxKeys, MicrosClock clock) {
    super(maxKeys, clock);
  }
}
