package dev.redline.stores.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.redline.core.internal.memory.Bucket;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The store {@code CAFFEINE}: buckets of this process in a <a
 * href="https://github.com/ben-manes/caffeine">Caffeine</a> cache, which keeps the busiest keys.
 *
 * <p>When the store {@code LOCAL} is at its maximum of keys, it has no room for new ones; this one
 * evicts the bucket that is least likely to be used again (Window TinyLFU), which may be the new
 * one. The debt of an evicted bucket is added to a group of buckets, so that its caller owes at
 * least as much when it returns. Buckets that are full again are removed in the background.
 *
 * <p>Eviction runs on the inserting thread. While another thread evicts, the cache may hold a few
 * keys more than its maximum.
 */
public final class CaffeineStore extends InMemoryStore {
  private final Cache<RateLimitKey, Bucket> buckets;
  private final Policy<RateLimitKey, Bucket> policy;

  /** Creates a store of up to {@link LocalStore#DEFAULT_MAX_KEYS} keys on the monotonic clock. */
  public CaffeineStore() {
    this(LocalStore.DEFAULT_MAX_KEYS, MicrosClock.monotonic());
  }

  /** Creates a store of up to {@code maxKeys} keys on a clock. */
  public CaffeineStore(long maxKeys, MicrosClock clock) {
    super(clock);
    if (maxKeys < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
    }
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(maxKeys)
            .executor(Runnable::run)
            .evictionListener(this::evicted)
            .build();
    this.policy = buckets.policy();
  }

  /** Called by the cache before it removes the entry, so before the key can get a new bucket. */
  private void evicted(@Nullable RateLimitKey key, @Nullable Bucket bucket, RemovalCause cause) {
    if (key != null && bucket != null) {
      evict(key, bucket);
    }
  }

  @Override
  public String type() {
    return "caffeine";
  }

  @Override
  protected @Nullable Bucket find(RateLimitKey key) {
    return buckets.getIfPresent(key);
  }

  /** {@inheritDoc} A counted read could evict, on this thread, a bucket that it has locked. */
  @Override
  protected @Nullable Bucket peek(RateLimitKey key) {
    return policy.getIfPresentQuietly(key);
  }

  /** {@inheritDoc} The cache may evict the new bucket at once: then there is no room for it. */
  @Override
  protected @Nullable Bucket insert(RateLimitKey key, Bucket candidate) {
    Bucket other = buckets.asMap().putIfAbsent(key, candidate);
    if (other != null) {
      return other;
    }
    return peek(key) == candidate ? candidate : null;
  }

  @Override
  protected void remove(RateLimitKey key, Bucket bucket) {
    buckets.asMap().remove(key, bucket);
  }

  @Override
  protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
    buckets.asMap().forEach(action);
  }

  @Override
  public long size() {
    return buckets.estimatedSize();
  }
}
