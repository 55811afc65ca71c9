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
 *
 * <p>A trie whose edges with literal segments are in one {@link SegmentTable}. Most patterns end in
 * a literal segment, or in {@code /**} after one: such an end is part of its edge, so that the last
 * step of a lookup touches no node.
 */
public final class PathIndex {
  private final SegmentTable literals;
  private final Node[] nodes;
  private final Node anchored;
  private final @Nullable Node floating;

  private PathIndex(Draft anchored, @Nullable Draft floating) {
    Compiler compiler = new Compiler();
    this.anchored = compiler.compile(anchored);
    this.floating = floating == null ? null : compiler.compile(floating);
    this.literals = compiler.literals.build();
    this.nodes = compiler.nodes.toArray(new Node[0]);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Puts the ranks of all patterns that match the normalised path into {@code ranks}. */
  public void find(String normalizedPath, RankList ranks) {
    int start = normalizedPath.length() == 1 ? 1 : 0;
    walk(anchored, normalizedPath, start, ranks);
    if (floating != null) {
      for (int at = start; at >= 0; at = nextSegment(normalizedPath, at)) {
        walk(floating, normalizedPath, at, ranks);
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

  /** Collects below a node; {@code slash} is the slash before the next segment, or the end. */
  private void walk(Node node, String path, int slash, RankList ranks) {
    ranks.addAll(node.always);
    ranks.addAll(node.rest);
    if (slash >= path.length()) {
      ranks.addAll(node.here);
      return;
    }
    if (node.isLeaf()) {
      return;
    }
    int from = slash + 1;
    int next = path.indexOf('/', from);
    int to = next < 0 ? path.length() : next;
    if (node.hasLiterals) {
      follow(literals.find(node.id, path, from, to), path, to, ranks);
    }
    for (int i = 0; i < node.globs.length; i++) {
      if (node.globs[i].matches(path, from, to)) {
        walk(node.globNodes[i], path, to, ranks);
      }
    }
    if (node.one != null) {
      walk(node.one, path, to, ranks);
    }
  }

  /** Collects what an edge leads to, if there is one; see {@link Compiler#addEdge}. */
  private void follow(int edge, String path, int slash, RankList ranks) {
    if (edge == SegmentTable.NOT_FOUND) {
      return;
    }
    int end = literals.first(edge);
    if (end == EdgeEnd.REST || (end == EdgeEnd.HERE && slash >= path.length())) {
      ranks.add(literals.second(edge));
    } else if (end == EdgeEnd.NODE) {
      walk(nodes[literals.second(edge)], path, slash, ranks);
    }
  }

  /** What the first number of an edge says of the second. */
  private static final class EdgeEnd {
    /** The number of a node. */
    static final int NODE = 0;

    /** The rank of the only pattern that goes on here, which ends in {@code /**}. */
    static final int REST = 1;

    /** The rank of the only pattern that goes on here, which ends here. */
    static final int HERE = 2;

    private EdgeEnd() {}
  }

  /** A position in the trie. */
  private static final class Node {
    private final int id;
    private final boolean hasLiterals;
    private final Glob[] globs;
    private final Node[] globNodes;
    private final @Nullable Node one;
    private final int[] here;
    private final int[] rest;
    private final int[] always;

    Node(int id, Draft draft, Node[] globNodes, @Nullable Node one) {
      this.id = id;
      this.hasLiterals = !draft.literals.isEmpty();
      this.globs = draft.globs.keySet().toArray(new Glob[0]);
      this.globNodes = globNodes;
      this.one = one;
      this.here = ints(draft.here);
      this.rest = ints(draft.rest);
      this.always = ints(draft.always);
    }

    private static int[] ints(SortedSet<Integer> ranks) {
      return ranks.stream().mapToInt(Integer::intValue).toArray();
    }

    boolean isLeaf() {
      return !hasLiterals && one == null && globs.length == 0;
    }
  }

  /** Makes nodes and edges of drafts. */
  private static final class Compiler {
    private final SegmentTable.Builder literals = new SegmentTable.Builder();

    /** The nodes that edges lead to. */
    private final List<Node> nodes = new ArrayList<>();

    private int lastId;

    Node compile(Draft draft) {
      int id = lastId++;
      draft.literals.forEach((segment, child) -> addEdge(id, segment, child));
      return new Node(
          id,
          draft,
          draft.globs.values().stream().map(this::compile).toArray(Node[]::new),
          draft.one == null ? null : compile(draft.one));
    }

    private void addEdge(int id, String segment, Draft child) {
      if (child.isOnly(child.rest)) {
        literals.add(id, segment, EdgeEnd.REST, child.rest.first());
      } else if (child.isOnly(child.here)) {
        literals.add(id, segment, EdgeEnd.HERE, child.here.first());
      } else {
        Node node = compile(child);
        literals.add(id, segment, EdgeEnd.NODE, nodes.size());
        nodes.add(node);
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

    /** Returns whether one rank of this kind is all there is here and below. */
    boolean isOnly(SortedSet<Integer> ranks) {
      return ranks.size() == 1
          && here.size() + rest.size() + always.size() == 1
          && literals.isEmpty()
          && globs.isEmpty()
          && one == null;
    }

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
      return new PathIndex(anchored, floating);
    }
  }
}
