package dev.redline.rules.documents.internal.parsing;

/** Bounds the nodes of one document. */
final class NodeLimits {
  private static final int MAX_DEPTH = 64;

  private NodeLimits() {}

  static void checkDepth(int line, int depth) throws SyntaxException {
    if (depth > MAX_DEPTH) {
      throw new SyntaxException(line, "nested more than " + MAX_DEPTH + " levels deep");
    }
  }
}
