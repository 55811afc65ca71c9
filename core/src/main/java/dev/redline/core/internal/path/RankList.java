package dev.redline.core.internal.path;

import java.util.Arrays;

/** A small growing list of ranks that a lookup fills; one thread's own. */
public final class RankList {
  private int[] values = new int[8];
  private int size;

  /** Creates an empty list. */
  public RankList() {}

  /** Returns how many ranks there are. */
  public int size() {
    return size;
  }

  /** Returns the rank at {@code i}. */
  public int get(int i) {
    return values[i];
  }

  /** Removes all ranks. */
  public void clear() {
    size = 0;
  }

  void add(int rank) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = rank;
  }

  void addAll(int[] ranks) {
    if (ranks.length == 0) {
      return;
    }
    if (size + ranks.length > values.length) {
      values = Arrays.copyOf(values, Math.max(values.length * 2, size + ranks.length));
    }
    System.arraycopy(ranks, 0, values, size, ranks.length);
    size += ranks.length;
  }

  /** Sorts ascending and drops doubles. */
  void sort() {
    if (size < 2) {
      return;
    }
    Arrays.sort(values, 0, size);
    int kept = 1;
    for (int i = 1; i < size; i++) {
      if (values[i] != values[kept - 1]) {
        values[kept++] = values[i];
      }
    }
    size = kept;
  }
}
