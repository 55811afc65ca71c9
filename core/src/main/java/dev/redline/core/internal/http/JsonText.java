package dev.redline.core.internal.http;

/** Writes texts as JSON strings (RFC 8259), for bodies too hot or too small for a JSON library. */
public final class JsonText {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonText() {}

  /**
   * Appends a text in quotes. What JSON demands is escaped, and also half a surrogate pair, which
   * no encoding of the output could carry.
   */
  public static StringBuilder quote(StringBuilder out, String text) {
    out.append('"');
    int done = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c)) {
        continue;
      }
      if (isPair(text, i)) {
        i++;
        continue;
      }
      out.append(text, done, i);
      escape(out, c);
      done = i + 1;
    }
    return out.append(text, done, text.length()).append('"');
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\' && !Character.isSurrogate(c);
  }

  private static boolean isPair(String text, int i) {
    return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
  }

  private static void escape(StringBuilder out, char c) {
    switch (c) {
      case '"', '\\' -> out.append('\\').append(c);
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        out.append("\\u").append(HEX[c >>> 12]).append(HEX[c >>> 8 & 15]);
        out.append(HEX[c >>> 4 & 15]).append(HEX[c & 15]);
      }
    }
  }

  /** Appends {@code ,"name":}, or {@code "name":} at the start of an object. */
  static StringBuilder name(StringBuilder out, String name) {
    if (out.charAt(out.length() - 1) != '{') {
      out.append(',');
    }
    return quote(out, name).append(':');
  }

  /** Appends an array of texts. */
  static StringBuilder array(StringBuilder out, Iterable<String> texts) {
    out.append('[');
    String separator = "";
    for (String text : texts) {
      quote(out.append(separator), text);
      separator = ",";
    }
    return out.append(']');
  }
}
