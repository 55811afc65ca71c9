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
 * The store {@code CAFFEINE}: a cache of buckets in this process that keeps the busiest keys.
 *
 * <p>Where the store {@code LOCAL} has no room left for new keys, this one gives up the bucket that
 * is least likely to be used again, which may be the newcomer's. What an evicted bucket tells lives
 * on in its overflow group: whoever owned it comes back owing at least as much. Buckets that are
 * full again are dropped in the background.
 *
 * <p>Eviction runs on the thread that inserts; only while another thread is at it may the cache
 * hold a few more keys than it should.
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

  /** Called by the cache before the entry is gone, so before the key can get another bucket. */
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

  /** {@inheritDoc} A plain read would let the cache evict, on this thread, what it has locked. */
  @Override
  protected @Nullable Bucket peek(RateLimitKey key) {
    return policy.getIfPresentQuietly(key);
  }

  /** {@inheritDoc} The cache may turn a newcomer away at once: then there was no room for it. */
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
