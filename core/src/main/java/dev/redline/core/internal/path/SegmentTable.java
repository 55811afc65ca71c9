package dev.redline.core.internal.path;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A small immutable hash table from path segments to values, looked up by a part of a string.
 *
 * <p>The segments lie in one array of characters, and what is known of each side by side, so that a
 * lookup in a large table touches little memory besides the value it finds.
 */
final class SegmentTable<V> {
  private static final int HASH = 0;
  private static final int START = 1;
  private static final int END = 2;
  private static final int STRIDE = 4;

  private final char[] text;
  private final int[] slots;
  private final @Nullable Object[] values;
  private final int shift;

  SegmentTable(Map<String, V> entries) {
    int size = Integer.highestOneBit(Math.max(2, entries.size() * 4 - 1));
    this.text = String.join("", entries.keySet()).toCharArray();
    this.slots = new int[size * STRIDE];
    this.values = new @Nullable Object[size];
    this.shift = Integer.numberOfLeadingZeros(size) + 1;
    int at = 0;
    for (Map.Entry<String, V> entry : entries.entrySet()) {
      String segment = entry.getKey();
      int hash = hash(segment, 0, segment.length());
      int slot = hash >>> shift;
      while (values[slot] != null) {
        slot = (slot + 1) & (size - 1);
      }
      slots[slot * STRIDE + HASH] = hash;
      slots[slot * STRIDE + START] = at;
      at += segment.length();
      slots[slot * STRIDE + END] = at;
      values[slot] = entry.getValue();
    }
  }

  /** Returns the value of the segment that lies between {@code from} and {@code to}, or null. */
  @SuppressWarnings("unchecked")
  @Nullable V get(String path, int from, int to) {
    int hash = hash(path, from, to);
    int slot = hash >>> shift;
    while (true) {
      int start = slots[slot * STRIDE + START];
      int length = slots[slot * STRIDE + END] - start;
      if (length == 0) {
        return null;
      }
      if (slots[slot * STRIDE + HASH] == hash
          && length == to - from
          && matches(path, from, start, length)) {
        return (V) values[slot];
      }
      slot = (slot + 1) & (values.length - 1);
    }
  }

  private boolean matches(String path, int from, int start, int length) {
    for (int i = 0; i < length; i++) {
      if (path.charAt(from + i) != text[start + i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns a hash whose leading bits differ for segments that differ in their last characters. */
  private static int hash(String path, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + path.charAt(i);
    }
    return hash * 0x9E3779B9;
  }
}
