package dev.redline.rules.documents.internal.parsing;

import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Turns JSON text (RFC 8259) into the tree of {@link Node}s that YAML becomes.
 *
 * <p>A parser of YAML rejects some JSON: indentation by tabs, a line break before a colon, U+007F.
 */
final class JsonParser {
  private static final Pattern LITERAL =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null");
  private static final String HEX_DIGITS = "0123456789abcdefABCDEF";

  private final String text;
  private final NodeLimits limits = new NodeLimits();
  private int at;
  private int line = 1;

  private JsonParser(String text) {
    this.text = text;
  }

  /** Returns the root. */
  static Node parse(String text) throws SyntaxException {
    JsonParser parser = new JsonParser(text);
    Node root = parser.value(0);
    parser.skipBlanks();
    if (parser.at < text.length()) {
      throw parser.expected("the end");
    }
    return root;
  }

  /** Returns whether the first character of a text opens an object or a list. */
  static boolean mayBe(String text) {
    JsonParser parser = new JsonParser(text);
    parser.skipBlanks();
    return parser.sees('{') || parser.sees('[');
  }

  private Node value(int depth) throws SyntaxException {
    skipBlanks();
    limits.add(line, depth);
    if (sees('{')) {
      return mapping(depth);
    }
    if (sees('[')) {
      return sequence(depth);
    }
    return sees('"') ? string() : literal();
  }

  private Node mapping(int depth) throws SyntaxException {
    int start = line;
    List<Entry> entries = new ArrayList<>();
    at++;
    skipBlanks();
    if (!skip('}')) {
      do {
        skipBlanks();
        if (!sees('"')) {
          throw expected("a name in double quotes");
        }
        limits.add(line, depth + 1);
        Scalar name = string();
        skipBlanks();
        if (!skip(':')) {
          throw expected("':'");
        }
        entries.add(new Entry(name, value(depth + 1)));
        skipBlanks();
      } while (skip(','));
      if (!skip('}')) {
        throw expected("',' or '}'");
      }
    }
    return new Mapping(entries, start);
  }

  private Node sequence(int depth) throws SyntaxException {
    int start = line;
    List<Node> items = new ArrayList<>();
    at++;
    skipBlanks();
    if (!skip(']')) {
      do {
        items.add(value(depth + 1));
        skipBlanks();
      } while (skip(','));
      if (!skip(']')) {
        throw expected("',' or ']'");
      }
    }
    return new Sequence(items, start);
  }

  private Scalar string() throws SyntaxException {
    StringBuilder value = new StringBuilder();
    at++;
    while (!skip('"')) {
      if (at == text.length() || text.charAt(at) < ' ') {
        throw expected("'\"'");
      }
      char c = text.charAt(at++);
      value.append(c == '\\' ? escaped() : c);
    }
    rejectHalfPairs(value);
    return new Scalar(value.toString(), false, line);
  }

  private char escaped() throws SyntaxException {
    char kind = at < text.length() ? text.charAt(at) : ' ';
    int known = "\"\\/bfnrtu".indexOf(kind);
    if (known < 0) {
      throw expected("an escape such as \\n or \\u00e4");
    }
    at++;
    return kind == 'u' ? hexadecimal() : "\"\\/\b\f\n\r\t".charAt(known);
  }

  private char hexadecimal() throws SyntaxException {
    int end = at + 4;
    int value = 0;
    for (; at < end; at++) {
      if (at == text.length() || HEX_DIGITS.indexOf(text.charAt(at)) < 0) {
        throw expected("four hexadecimal digits");
      }
      value = value * 16 + Character.digit(text.charAt(at), 16);
    }
    return (char) value;
  }

  private void rejectHalfPairs(CharSequence value) throws SyntaxException {
    if (value
        .codePoints()
        .anyMatch(c -> c <= Character.MAX_VALUE && Character.isSurrogate((char) c))) {
      throw new SyntaxException(line, "not valid JSON: half of a surrogate pair");
    }
  }

  /** Reads a number, true, false or null. */
  private Scalar literal() throws SyntaxException {
    int start = at;
    while (at < text.length() && " \t\r\n,:[]{}\"".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    if (!LITERAL.matcher(word).matches()) {
      at = start;
      throw expected("a value");
    }
    return new Scalar(word, true, line);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      line += text.charAt(at) == '\n' ? 1 : 0;
      at++;
    }
  }

  private boolean sees(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private boolean skip(char c) {
    boolean seen = sees(c);
    at += seen ? 1 : 0;
    return seen;
  }

  private SyntaxException expected(String what) {
    String found;
    if (at == text.length()) {
      found = "the end";
    } else if (text.charAt(at) < ' ') {
      found = String.format("U+%04X", (int) text.charAt(at));
    } else {
      found = "'" + text.substring(at, text.offsetByCodePoints(at, 1)) + "'";
    }
    return new SyntaxException(line, "not valid JSON: expected " + what + ", was " + found);
  }
}
