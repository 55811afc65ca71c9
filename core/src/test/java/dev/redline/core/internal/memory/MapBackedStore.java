package dev.redline.core.internal.memory;

import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A store in memory whose table is a map; subclasses decide what it has room for. */
abstract class MapBackedStore extends InMemoryStore {
  final Map<RateLimitKey, Bucket> table = new ConcurrentHashMap<>();

  MapBackedStore(MicrosClock clock, @Nullable Duration sweepInterval) {
    super(clock, sweepInterval);
  }

  @Override
  public String type() {
    return "map";
  }

  @Override
  protected @Nullable Bucket find(RateLimitKey key) {
    return table.get(key);
  }

  @Override
  protected @Nullable Bucket peek(RateLimitKey key) {
    return table.get(key);
  }

  /** Puts a bucket into the table, or returns the one that is there. */
  Bucket put(RateLimitKey key, Bucket candidate) {
    Bucket other = table.putIfAbsent(key, candidate);
    return other == null ? candidate : other;
  }

  @Override
  protected void remove(RateLimitKey key, Bucket bucket) {
    table.remove(key, bucket);
  }

  @Override
  protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
    table.forEach(action);
  }

  @Override
  public long size() {
    return table.size();
  }
}
