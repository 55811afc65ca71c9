package dev.redline.core.internal.memory;

import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a full table whose buckets will be full before the next sweep: those that the last
 * sweep found, and those inserted since. A bounded number of them, looked at often; whether there
 * are more is known, and a reason to sweep earlier.
 *
 * <p>Belongs to the sweeper's thread, except for the two methods that other threads call.
 */
final class WatchedKeys implements InMemoryStore.KeptBuckets {
  private static final int MOST = 4096;
  private static final int MOST_INSERTED = 256;

  private final List<RateLimitKey> keys = new ArrayList<>();
  private long aheadMicros;
  private long untilMicros;
  private volatile boolean more = true;

  private final AtomicReferenceArray<@Nullable RateLimitKey> inserted =
      new AtomicReferenceArray<>(MOST_INSERTED);
  private final AtomicInteger insertions = new AtomicInteger();

  /** Adds an inserted key; called by any thread. */
  void offer(RateLimitKey key) {
    if (insertions.get() < MOST_INSERTED) {
      int i = insertions.getAndIncrement();
      if (i < MOST_INSERTED) {
        inserted.set(i, key);
        return;
      }
    }
    missed();
  }

  /** Notes that buckets may become full that are not watched; called by any thread. */
  void missed() {
    if (!more) {
      more = true;
    }
  }

  /** Forgets all keys; a sweep that begins now adds those that will be full soon. */
  void begin(long nowMicros, long aheadMicros) {
    keys.clear();
    more = false;
    this.aheadMicros = aheadMicros;
    this.untilMicros = nowMicros + aheadMicros;
  }

  @Override
  public void kept(RateLimitKey key, long micros) {
    if (micros <= aheadMicros) {
      add(key);
    }
  }

  private void add(RateLimitKey key) {
    if (keys.size() < MOST) {
      keys.add(key);
    } else {
      missed();
    }
  }

  /** Returns whether no other bucket than those of watched keys can be full by now. */
  boolean areAllKnown(long nowMicros) {
    return !more && nowMicros < untilMicros;
  }

  /** Drops the buckets of watched keys that are full. */
  void sweep(InMemoryStore store) {
    addInserted();
    keys.removeIf(store::sweep);
  }

  private void addInserted() {
    int count = Math.min(insertions.get(), MOST_INSERTED);
    for (int i = 0; i < count; i++) {
      RateLimitKey key = inserted.getAndSet(i, null);
      if (key == null) {
        // Its thread has the place and has not written yet.
        missed();
      } else {
        add(key);
      }
    }
    insertions.set(0);
  }
}
