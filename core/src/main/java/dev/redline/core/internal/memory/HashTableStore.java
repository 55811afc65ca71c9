package dev.redline.core.internal.memory;

import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded hash table of buckets in this process.
 *
 * <p>Buckets that are full again are dropped in the background, by a daemon thread that sleeps
 * while the table is empty. When the table is full of buckets that are not, new keys share the
 * buckets of their overflow group until there is room: memory stays bounded, and no caller gets a
 * full bucket because of others.
 */
public class HashTableStore extends InMemoryStore {
  private final ConcurrentHashMap<RateLimitKey, Bucket> buckets = new ConcurrentHashMap<>();
  private final AtomicLong keys = new AtomicLong();
  private final long maxKeys;

  /** Creates a store of up to {@code maxKeys} keys on a clock. */
  protected HashTableStore(long maxKeys, MicrosClock clock) {
    this(maxKeys, clock, DEFAULT_REST);
  }

  /**
   * Creates a store on a clock.
   *
   * @param rest the shortest rest between two sweeps in the background; null: no such sweeps
   */
  HashTableStore(long maxKeys, MicrosClock clock, @Nullable Duration rest) {
    super(clock, rest);
    if (maxKeys < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
    }
    this.maxKeys = maxKeys;
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
  protected @Nullable Bucket peek(RateLimitKey key) {
    return buckets.get(key);
  }

  /** {@inheritDoc} A place is reserved before the bucket is put: the bound holds at all times. */
  @Override
  protected @Nullable Bucket insert(RateLimitKey key, Bucket candidate) {
    if (keys.get() >= maxKeys) {
      return null;
    }
    if (keys.incrementAndGet() > maxKeys) {
      keys.decrementAndGet();
      return null;
    }
    Bucket other = buckets.putIfAbsent(key, candidate);
    if (other != null) {
      keys.decrementAndGet();
      return other;
    }
    return candidate;
  }

  @Override
  protected void remove(RateLimitKey key, Bucket bucket) {
    if (buckets.remove(key, bucket)) {
      keys.decrementAndGet();
    }
  }

  @Override
  protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
    buckets.forEach(action);
  }

  @Override
  public long size() {
    return keys.get();
  }
}
