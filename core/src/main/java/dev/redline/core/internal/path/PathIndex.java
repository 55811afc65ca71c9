package dev.redline.core.internal.path;

import dev.redline.core.internal.path.PathPattern.Literal;
import dev.redline.core.internal.path.PathPattern.One;
import dev.redline.core.internal.path.PathPattern.Rest;
import dev.redline.core.internal.path.PathPattern.Segment;
import dev.redline.core.internal.path.PathPattern.Wild;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds which of many patterns match a path, by walking the path's segments once.
 *
 * <p>Each pattern stands for a rank, a small number; a lookup gives the ranks of all matching
 * patterns in ascending order. Immutable; lookups take no lock and copy no part of the path.
 */
public final class PathIndex {
  private final Node anchored;
  private final @Nullable Node floating;

  private PathIndex(Node anchored, @Nullable Node floating) {
    this.anchored = anchored;
    this.floating = floating;
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Puts the ranks of all patterns that match the normalised path into {@code ranks}. */
  public void find(String normalizedPath, RankList ranks) {
    int start = normalizedPath.length() == 1 ? 1 : 0;
    anchored.walk(normalizedPath, start, ranks);
    if (floating != null) {
      for (int at = start; at >= 0; at = nextSegment(normalizedPath, at)) {
        floating.walk(normalizedPath, at, ranks);
      }
    }
    ranks.sort();
  }

  /** Puts the ranks that apply to a request without any path into {@code ranks}. */
  public void findWithoutPath(RankList ranks) {
    ranks.addAll(anchored.always);
    ranks.sort();
  }

  private static int nextSegment(String path, int slash) {
    if (slash >= path.length()) {
      return -1;
    }
    int next = path.indexOf('/', slash + 1);
    return next < 0 ? path.length() : next;
  }

  /** A position in the tree of segments. */
  private static final class Node {
    private static final int[] NONE = new int[0];
    private static final Glob[] NO_GLOBS = new Glob[0];
    private static final Node[] NO_NODES = new Node[0];

    private final @Nullable SegmentTable<Node> literals;
    private final Glob[] globs;
    private final Node[] globNodes;
    private final @Nullable Node one;
    private final int[] here;
    private final int[] rest;
    private final int[] always;

    /** The only rank of {@code rest}, kept here for the sake of the cache; else -1. */
    private final int onlyRest;

    Node(Draft draft) {
      Map<String, Node> children = new HashMap<>();
      draft.literals.forEach((text, child) -> children.put(text, new Node(child)));
      this.literals = children.isEmpty() ? null : new SegmentTable<>(children);
      this.globs = draft.globs.isEmpty() ? NO_GLOBS : draft.globs.keySet().toArray(NO_GLOBS);
      this.globNodes =
          draft.globs.isEmpty()
              ? NO_NODES
              : draft.globs.values().stream().map(Node::new).toArray(Node[]::new);
      this.one = draft.one == null ? null : new Node(draft.one);
      this.here = ints(draft.here);
      this.rest = ints(draft.rest);
      this.always = ints(draft.always);
      this.onlyRest = rest.length == 1 ? rest[0] : -1;
    }

    private static int[] ints(SortedSet<Integer> ranks) {
      return ranks.isEmpty() ? NONE : ranks.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Collects below this node; {@code slash} is the slash before the next segment, or the end. */
    void walk(String path, int slash, RankList ranks) {
      ranks.addAll(always);
      if (onlyRest >= 0) {
        ranks.add(onlyRest);
      } else {
        ranks.addAll(rest);
      }
      if (slash >= path.length()) {
        ranks.addAll(here);
        return;
      }
      if (literals == null && one == null && globs.length == 0) {
        return;
      }
      int from = slash + 1;
      int next = path.indexOf('/', from);
      int to = next < 0 ? path.length() : next;
      Node literal = literals == null ? null : literals.get(path, from, to);
      if (literal != null) {
        literal.walk(path, to, ranks);
      }
      for (int i = 0; i < globs.length; i++) {
        if (globs[i].matches(path, from, to)) {
          globNodes[i].walk(path, to, ranks);
        }
      }
      if (one != null) {
        one.walk(path, to, ranks);
      }
    }
  }

  /** A node while the index is built. */
  private static final class Draft {
    private final Map<String, Draft> literals = new HashMap<>();
    private final Map<Glob, Draft> globs = new LinkedHashMap<>();
    private @Nullable Draft one;
    private final TreeSet<Integer> here = new TreeSet<>();
    private final TreeSet<Integer> rest = new TreeSet<>();
    private final TreeSet<Integer> always = new TreeSet<>();

    void add(List<Segment> segments, int rank) {
      Draft draft = this;
      for (Segment segment : segments) {
        if (segment instanceof Rest) {
          draft.rest.add(rank);
          return;
        }
        draft = draft.child(segment);
      }
      draft.here.add(rank);
    }

    private Draft child(Segment segment) {
      if (segment instanceof Literal literal) {
        return literals.computeIfAbsent(literal.text(), text -> new Draft());
      }
      if (segment instanceof Wild wild) {
        return globs.computeIfAbsent(wild.glob(), glob -> new Draft());
      }
      if (segment instanceof One) {
        Draft next = one == null ? new Draft() : one;
        one = next;
        return next;
      }
      throw new IllegalStateException("unexpected segment " + segment);
    }
  }

  /** Builds an index. */
  public static final class Builder {
    private final Draft anchored = new Draft();
    private @Nullable Draft floating;

    private Builder() {}

    /** Adds a pattern under a rank; one rank may have several patterns. */
    public Builder add(PathPattern pattern, int rank) {
      List<Segment> segments = new ArrayList<>(pattern.segments());
      if (pattern.matchesEverything()) {
        anchored.rest.add(rank);
      } else if (!segments.isEmpty() && segments.get(0) instanceof Rest) {
        Draft draft = floating == null ? new Draft() : floating;
        floating = draft;
        draft.add(segments.subList(1, segments.size()), rank);
      } else {
        anchored.add(segments, rank);
      }
      return this;
    }

    /** Adds a rank that every request has, also one without a path. */
    public Builder addAlways(int rank) {
      anchored.always.add(rank);
      return this;
    }

    /** Builds the index. */
    public PathIndex build() {
      return new PathIndex(new Node(anchored), floating == null ? null : new Node(floating));
    }
  }
}
