package dev.redline.core.internal.remote;

import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A set-associative table of denials, as processor caches are built: the hash of a key selects a
 * set of {@value #WAYS} slots, and the key's denial is in one of them or nowhere.
 *
 * <p>So every operation looks at {@value #WAYS} slots, no matter how many denials there are, and
 * the number of denials cannot exceed {@value #MAX_ENTRIES}. In a full set a new denial replaces
 * the one that ends first. The hash covers owner and identity but not the limits, and is the same
 * in every process: a notice that names a hash reaches the buckets of all limits in one set.
 *
 * <p>Safe for concurrent use without locks. A lost race loses a denial, which costs one call.
 */
final class DenialTable {
  static final int MAX_ENTRIES = 1 << 17;

  private static final int WAYS = 8;
  private static final int SET_BITS = 14;

  private final AtomicReferenceArray<@Nullable CachedDenial> slots =
      new AtomicReferenceArray<>(MAX_ENTRIES);

  private final LongSupplier nanoClock;
  private final ForgottenHashes forgotten;

  private volatile boolean used;

  DenialTable(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.forgotten = new ForgottenHashes(nanoClock.getAsLong());
  }

  /** Returns whether nothing was ever put into it. */
  boolean isUnused() {
    return !used;
  }

  /** Returns the hash of a key's owner and identity; {@code String.hashCode} is specified. */
  static long hash(RateLimitKey key) {
    int kind = key.limits().ownerKind() == OwnerKind.RULE ? 1 : 2;
    int owner = 31 * key.limits().ownerId().hashCode() + kind;
    return ((long) owner << 32) | (key.identity().hashCode() & 0xFFFF_FFFFL);
  }

  private static long mixed(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  /** Returns the first slot of the set of a hash. */
  private static int firstSlot(long hash) {
    return (int) (mixed(hash) & ((1 << SET_BITS) - 1)) * WAYS;
  }

  /** Returns the latest denial of a key, or null if there is none. */
  @Nullable CachedDenial find(RateLimitKey key) {
    int first = firstSlot(hash(key));
    CachedDenial latest = null;
    for (int i = first; i < first + WAYS; i++) {
      CachedDenial denial = slots.get(i);
      if (denial != null
          && denial.key.equals(key)
          && (latest == null || denial.receivedNanos - latest.receivedNanos > 0)) {
        latest = denial;
      }
    }
    return latest;
  }

  /** Puts a denial in the place of an earlier one of its key, or of the one that ends first. */
  void put(CachedDenial denial) {
    used = true;
    long hash = hash(denial.key);
    int first = firstSlot(hash);
    int place = first;
    CachedDenial replaced = slots.get(first);
    for (int i = first; i < first + WAYS; i++) {
      CachedDenial other = slots.get(i);
      if (other != null && other.key.equals(denial.key)) {
        place = i;
        replaced = other;
        break;
      }
      if (replaced != null && (other == null || endsBefore(other, replaced))) {
        place = i;
        replaced = other;
      }
    }
    slots.compareAndSet(place, replaced, denial);
    // forget() since the store was called writes its time before it removes: either this thread
    // sees the time, or that thread sees the denial.
    if (forgotten.isSince(hash, denial.sentNanos)) {
      slots.compareAndSet(place, denial, null);
    }
  }

  private static boolean endsBefore(CachedDenial one, CachedDenial other) {
    return one.advertisedNanos - other.advertisedNanos < 0;
  }

  void remove(RateLimitKey key) {
    int first = firstSlot(hash(key));
    for (int i = first; i < first + WAYS; i++) {
      CachedDenial denial = slots.get(i);
      if (denial != null && denial.key.equals(key)) {
        slots.compareAndSet(i, denial, null);
      }
    }
  }

  /** Removes all denials of a hash; denials of calls that were sent before now are not stored. */
  void forget(long hash) {
    forgotten.add(hash, nanoClock.getAsLong());
    int first = firstSlot(hash);
    for (int i = first; i < first + WAYS; i++) {
      CachedDenial denial = slots.get(i);
      if (denial != null && hash(denial.key) == hash) {
        slots.compareAndSet(i, denial, null);
      }
    }
  }

  /** Counts the denials, slot by slot: for tests. */
  int size() {
    int size = 0;
    for (int i = 0; i < MAX_ENTRIES; i++) {
      size += slots.get(i) == null ? 0 : 1;
    }
    return size;
  }
}
