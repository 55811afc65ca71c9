package dev.redline.stores.redis;

import dev.redline.core.store.RateLimitKey;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Measures how much of a key this process needs in {@value #SPAN_MILLIS} ms, and whether it was
 * denied lately. Counts acquisitions on their way to Redis.
 *
 * <p>A table of fixed size, without keys: a slot has a part of the key's hash, the number of the
 * current span, and the tokens of this span and the one before. A key that shares its slot with
 * another one wears the other's count down before it gets the slot (as in the majority vote of
 * Boyer and Moore), so the busier key keeps it. A count that is wrong costs a trip or a lease that
 * is not needed, never a wrong decision. Lock-free.
 */
final class HotKeys {
  static final int SPAN_MILLIS = 100;
  static final long SPAN_NANOS = SPAN_MILLIS * 1_000_000L;

  /** How long a key counts as scarce after a denial. */
  static final long SCARCE_NANOS = 1_000_000_000L;

  private static final int SLOTS = 1 << 12;
  private static final int ATTEMPTS = 4;
  private static final long FIELD = 0xFFFF;
  private static final long MILLIS_MASK = (1L << 40) - 1;

  /** In each slot, 16 bits each: tag, span, tokens of the span before, tokens of this span. */
  private final AtomicLongArray counts = new AtomicLongArray(SLOTS);

  /** In each slot: a tag of 24 bits, and the time of the last denial in ms, 40 bits. */
  private final AtomicLongArray denials = new AtomicLongArray(SLOTS);

  /** Returns a hash of 32 bits. */
  private static long mixed(RateLimitKey key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return Integer.toUnsignedLong(hash ^ (hash >>> 15));
  }

  private static int slot(long mixed) {
    return (int) mixed & (SLOTS - 1);
  }

  private static long tag(long mixed) {
    return mixed >>> 16;
  }

  private static long span(long nanos) {
    return Math.floorDiv(nanos, SPAN_NANOS) & FIELD;
  }

  private static long packed(long tag, long span, long before, long current) {
    return (tag << 48) | (span << 32) | (Math.min(before, FIELD) << 16) | Math.min(current, FIELD);
  }

  /** Counts an acquisition. */
  void count(RateLimitKey key, long cost, long nanos) {
    long mixed = mixed(key);
    int slot = slot(mixed);
    for (int i = 0; i < ATTEMPTS; i++) {
      long old = counts.get(slot);
      if (counts.compareAndSet(slot, old, counted(old, tag(mixed), cost, span(nanos)))) {
        return;
      }
    }
  }

  private static long counted(long old, long tag, long cost, long span) {
    long age = (span - (old >>> 32)) & FIELD;
    long current = old & FIELD;
    long before = age == 0 ? (old >>> 16) & FIELD : age == 1 ? current : 0;
    long now = age == 0 ? current : 0;
    if (old >>> 48 == tag) {
      return packed(tag, span, before, now + cost);
    }
    return before + now <= cost
        ? packed(tag, span, 0, cost)
        : packed(old >>> 48, span, Math.max(0, before - cost), now - Math.max(0, cost - before));
  }

  /** Returns how many tokens were needed in the last full span, or so far in this one if more. */
  long demand(RateLimitKey key, long nanos) {
    long mixed = mixed(key);
    long slot = counts.get(slot(mixed));
    long age = (span(nanos) - (slot >>> 32)) & FIELD;
    if (slot >>> 48 != tag(mixed) || age > 1) {
      return 0;
    }
    long current = slot & FIELD;
    return age == 1 ? current : Math.max(current, (slot >>> 16) & FIELD);
  }

  private static long millis(long nanos) {
    return (nanos / 1_000_000) & MILLIS_MASK;
  }

  /** Notes that a key was denied. */
  void denied(RateLimitKey key, long nanos) {
    long mixed = mixed(key);
    denials.set(slot(mixed), ((mixed >>> 8) << 40) | millis(nanos));
  }

  /** Returns whether a key was denied within the last second. */
  boolean isScarce(RateLimitKey key, long nanos) {
    long mixed = mixed(key);
    long denial = denials.get(slot(mixed));
    long millis = millis(nanos) - (denial & MILLIS_MASK);
    return denial != 0
        && denial >>> 40 == mixed >>> 8
        && Math.abs(millis) <= SCARCE_NANOS / 1_000_000;
  }
}
