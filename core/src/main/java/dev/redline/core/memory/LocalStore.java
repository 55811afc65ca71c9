package dev.redline.core.memory;

import dev.redline.core.key.RateLimitKey;
import dev.redline.core.store.MicrosClock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The store {@code LOCAL}: a bounded hash table of buckets in this process.
 *
 * <p>Buckets that are full again are dropped in the background, by a daemon thread that sleeps
 * while the table is empty. When the table is full of buckets that are not, new keys share the
 * buckets of their overflow group until there is room: memory stays bounded, and no caller gets a
 * fresh bucket because of others.
 */
public final class LocalStore extends InMemoryStore {
  /** How many keys a store holds unless told otherwise. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  private static final long SWEEP_NANOS = 1_000_000_000L;
  private static final long SWEEP_NANOS_WHEN_FULL = 50_000_000L;

  private final ConcurrentHashMap<RateLimitKey, Bucket> buckets = new ConcurrentHashMap<>();
  private final AtomicLong keys = new AtomicLong();
  private final long maxKeys;
  private final Thread sweeper;
  private volatile boolean closed;
  private volatile boolean full;

  /** Creates a store of up to {@link #DEFAULT_MAX_KEYS} keys on the monotonic clock. */
  public LocalStore() {
    this(DEFAULT_MAX_KEYS, MicrosClock.monotonic());
  }

  /** Creates a store of up to {@code maxKeys} keys on a clock. */
  public LocalStore(long maxKeys, MicrosClock clock) {
    super(clock);
    if (maxKeys < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
    }
    this.maxKeys = maxKeys;
    this.sweeper = new Thread(this::sweepUntilClosed, "redline-local-sweeper");
    sweeper.setDaemon(true);
    sweeper.start();
  }

  @Override
  public String type() {
    return "local";
  }

  @Override
  protected @Nullable Bucket find(RateLimitKey key) {
    return buckets.get(key);
  }

  @Override
  protected @Nullable Bucket insert(RateLimitKey key, Bucket candidate) {
    long count = keys.incrementAndGet();
    if (count > maxKeys) {
      keys.decrementAndGet();
      full = true;
      return null;
    }
    Bucket other = buckets.putIfAbsent(key, candidate);
    if (other != null) {
      keys.decrementAndGet();
      return other;
    }
    if (count == 1) {
      LockSupport.unpark(sweeper);
    }
    return candidate;
  }

  @Override
  public long size() {
    return keys.get();
  }

  /** Drops every bucket that is full again; what the background does, for tests and tools. */
  public void sweep() {
    buckets.forEach(
        (key, bucket) -> {
          if (reclaim(key, bucket) && buckets.remove(key, bucket)) {
            keys.decrementAndGet();
          }
        });
    reclaimOverflow();
  }

  private void sweepUntilClosed() {
    while (!closed) {
      if (keys.get() == 0 && overflow().size() == 0) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, full ? SWEEP_NANOS_WHEN_FULL : SWEEP_NANOS);
        full = false;
        sweep();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(sweeper);
  }
}
