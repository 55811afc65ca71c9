package dev.redline.rules.documents.internal.parsing;

import java.util.List;

/** A node of a parsed document with its line, so that problems can name their location. */
public sealed interface Node {
  /** Returns the line it starts on, from 1. */
  int line();

  /**
   * A single value.
   *
   * @param text the exact text, quotes removed
   * @param plain whether it was unquoted, so that its text determines its type
   * @param shown the text for messages: with placeholders where it came from them
   */
  record Scalar(String text, boolean plain, int line, String shown) implements Node {
    public Scalar(String text, boolean plain, int line) {
      this(text, plain, line, text);
    }

    public ScalarType type() {
      return plain ? ScalarType.ofPlain(text) : ScalarType.TEXT;
    }
  }

  /** A list. */
  record Sequence(List<Node> items, int line) implements Node {}

  /** A list of names with values, doubles included. */
  record Mapping(List<Entry> entries, int line) implements Node {}

  /** One name with its value. */
  record Entry(Scalar key, Node value) {}

  /**
   * Something that parses but cannot be read.
   *
   * @param text as written in the document
   * @param message what is wrong with it
   */
  record Broken(String text, String message, int line) implements Node {}

  /** Returns the value on one short line, for messages. */
  default String describe() {
    StringBuilder text = new StringBuilder();
    describe(this, text);
    return text.length() <= 80 ? text.toString() : text.substring(0, 79) + "…";
  }

  private static void describe(Node node, StringBuilder text) {
    if (text.length() > 80) {
      return;
    }
    if (node instanceof Scalar scalar) {
      text.append(scalar.shown());
    } else if (node instanceof Broken broken) {
      text.append(broken.text());
    } else if (node instanceof Sequence sequence) {
      String separator = "[";
      for (Node item : sequence.items()) {
        text.append(separator);
        describe(item, text);
        separator = ", ";
      }
      text.append(sequence.items().isEmpty() ? "[]" : "]");
    } else if (node instanceof Mapping mapping) {
      String separator = "{";
      for (Entry entry : mapping.entries()) {
        text.append(separator).append(entry.key().shown()).append(": ");
        describe(entry.value(), text);
        separator = ", ";
      }
      text.append(mapping.entries().isEmpty() ? "{}" : "}");
    }
  }
}
