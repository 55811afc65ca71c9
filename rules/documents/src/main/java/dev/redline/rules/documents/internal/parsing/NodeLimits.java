package dev.redline.rules.documents.internal.parsing;

/** Bounds the depth and the number of the nodes of one document, and so the memory they take. */
final class NodeLimits {
  private static final int MAX_DEPTH = 64;

  /** A node takes about 100 bytes; a rule with six fields, one of them a list, is 15 nodes. */
  static final int MAX_NODES = 2_000_000;

  private long nodes;

  /** Counts a node before it is made. */
  void add(int line, int depth) throws SyntaxException {
    if (depth > MAX_DEPTH) {
      throw new SyntaxException(line, "nested more than " + MAX_DEPTH + " levels deep");
    }
    if (++nodes > MAX_NODES) {
      throw new SyntaxException(
          line,
          "the document has more than " + MAX_NODES + " names and values; define fewer rules");
    }
  }
}
