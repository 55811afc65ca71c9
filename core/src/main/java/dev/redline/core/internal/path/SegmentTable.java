package dev.redline.core.internal.path;

import java.util.ArrayList;
import java.util.List;

/**
 * The edges of a trie of path segments in one immutable hash table with open addressing: from a
 * node and a segment to an entry with two numbers of the caller's choice. Looked up by a part of a
 * string, which is not copied.
 *
 * <p>An entry is four numbers side by side, and the segments lie in one array, each after its
 * length. So a lookup among thousands of edges touches two places in memory.
 */
final class SegmentTable {
  /** What {@link #find} returns if there is no such edge. */
  static final int NOT_FOUND = -1;

  private static final int HASH = 0;

  /** Where the segment begins in the text; 0 in an unused entry. */
  private static final int TEXT = 1;

  private static final int FIRST = 2;
  private static final int SECOND = 3;
  private static final int STRIDE = 4;

  private final char[] text;
  private final int[] entries;
  private final int shift;

  private SegmentTable(Builder builder) {
    int size = Integer.highestOneBit(Math.max(2, builder.edges.size() * 4 - 1));
    this.entries = new int[size * STRIDE];
    this.shift = Integer.numberOfLeadingZeros(size) + 1;
    StringBuilder all = new StringBuilder().append('/');
    for (Edge edge : builder.edges) {
      int hash = hash(edge.node, edge.segment, 0, edge.segment.length());
      int at = (hash >>> shift) * STRIDE;
      while (entries[at + TEXT] != 0) {
        at = next(at);
      }
      entries[at + HASH] = hash;
      entries[at + TEXT] = all.length();
      entries[at + FIRST] = edge.first;
      entries[at + SECOND] = edge.second;
      all.append((char) edge.segment.length()).append(edge.segment);
    }
    this.text = all.toString().toCharArray();
  }

  private int next(int at) {
    return at + STRIDE == entries.length ? 0 : at + STRIDE;
  }

  /** Returns the entry of the segment between {@code from} and {@code to} at a node. */
  int find(int node, String path, int from, int to) {
    int hash = hash(node, path, from, to);
    for (int at = (hash >>> shift) * STRIDE; ; at = next(at)) {
      int start = entries[at + TEXT];
      if (start == 0) {
        return NOT_FOUND;
      }
      // Entries of the same segment at two nodes never have the same hash.
      if (entries[at + HASH] == hash && matches(start, path, from, to)) {
        return at;
      }
    }
  }

  /** Returns the first number of an entry. */
  int first(int entry) {
    return entries[entry + FIRST];
  }

  /** Returns the second number of an entry. */
  int second(int entry) {
    return entries[entry + SECOND];
  }

  private boolean matches(int start, String path, int from, int to) {
    if (text[start] != to - from) {
      return false;
    }
    for (int i = start + 1, p = from; p < to; i++, p++) {
      if (path.charAt(p) != text[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a hash whose leading bits differ for segments that differ in their last characters. For
   * one segment it is a permutation of the nodes: all factors are odd.
   */
  private static int hash(int node, String path, int from, int to) {
    int hash = node;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + path.charAt(i);
    }
    return hash * 0x9E3779B9;
  }

  private record Edge(int node, String segment, int first, int second) {}

  /** Collects the edges of a table. */
  static final class Builder {
    private final List<Edge> edges = new ArrayList<>();

    /** Adds an edge; node and segment must be new. */
    void add(int node, String segment, int first, int second) {
      if (segment.length() > Character.MAX_VALUE) {
        throw new IllegalArgumentException(
            "a path segment has at most 65535 characters, had " + segment.length());
      }
      edges.add(new Edge(node, segment, first, second));
    }

    SegmentTable build() {
      return new SegmentTable(this);
    }
  }
}
