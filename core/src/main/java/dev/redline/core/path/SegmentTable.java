package dev.redline.core.path;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small immutable hash table from path segments to values, looked up by a part of a string. */
final class SegmentTable<V> {
  private final @Nullable String[] keys;
  private final @Nullable Object[] values;
  private final int mask;

  SegmentTable(Map<String, V> entries) {
    int slots = Integer.highestOneBit(Math.max(1, entries.size() * 4 - 1));
    this.keys = new @Nullable String[slots];
    this.values = new @Nullable Object[slots];
    this.mask = slots - 1;
    entries.forEach(
        (key, value) -> {
          int slot = slot(key, 0, key.length());
          while (keys[slot] != null) {
            slot = (slot + 1) & mask;
          }
          keys[slot] = key;
          values[slot] = value;
        });
  }

  /** Returns the value of the segment that lies between {@code from} and {@code to}, or null. */
  @SuppressWarnings("unchecked")
  @Nullable V get(String text, int from, int to) {
    int slot = slot(text, from, to);
    while (true) {
      String key = keys[slot];
      if (key == null) {
        return null;
      }
      if (key.length() == to - from && text.startsWith(key, from)) {
        return (V) values[slot];
      }
      slot = (slot + 1) & mask;
    }
  }

  private int slot(String text, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    return (hash ^ hash >>> 15) & mask;
  }
}
