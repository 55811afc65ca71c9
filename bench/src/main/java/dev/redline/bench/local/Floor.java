package dev.redline.bench.local;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The baseline of a limiter per key: find one word in a concurrent map, read the clock, and
 * compare-and-set. Implements GCRA; returns only allowed or denied.
 */
final class Floor implements KeyPopulation {
  private static final long NANOS_PER_TOKEN = 60_000_000_000L;

  private final ConcurrentHashMap<String, AtomicLong> cells = new ConcurrentHashMap<>();
  private final Keys keys;
  private final long origin = System.nanoTime();
  private final long horizon;

  Floor(Keys keys, Mix mix) {
    this.keys = keys;
    this.horizon = mix.capacity() * NANOS_PER_TOKEN;
    for (int i = 0; i < keys.size(); i++) {
      take(keys.stored(i));
    }
  }

  private boolean take(String key) {
    AtomicLong cell = cells.get(key);
    if (cell == null) {
      cell = cells.computeIfAbsent(key, absent -> new AtomicLong());
    }
    long now = System.nanoTime() - origin;
    while (true) {
      long fullAt = cell.get();
      long next = Math.max(fullAt, now) + NANOS_PER_TOKEN;
      if (next - now > horizon) {
        return false;
      }
      if (cell.compareAndSet(fullAt, next)) {
        return true;
      }
    }
  }

  @Override
  public Caller caller() {
    return i -> take(keys.requested(i));
  }
}
