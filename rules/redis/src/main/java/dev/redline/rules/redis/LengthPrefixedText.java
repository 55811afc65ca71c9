package dev.redline.rules.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes texts as <a href="https://en.wikipedia.org/wiki/Netstring">netstrings</a> without commas:
 * each after its length, so that none has to be escaped, as in {@code 3:abc0:}.
 */
final class LengthPrefixedText {
  private LengthPrefixedText() {}

  static String join(List<String> fields) {
    StringBuilder text = new StringBuilder();
    fields.forEach(field -> text.append(field.length()).append(':').append(field));
    return text.toString();
  }

  /**
   * Splits the text. There may be more fields than expected: newer versions of Redline only append
   * fields, and may share a Redis with older ones.
   *
   * @throws IOException if there are fewer than {@code count}
   */
  static List<String> split(String text, int count) throws IOException {
    List<String> fields = new ArrayList<>();
    int at = 0;
    try {
      while (at < text.length()) {
        int colon = text.indexOf(':', at);
        int end = colon + 1 + Integer.parseInt(text, at, colon, 10);
        fields.add(text.substring(colon + 1, end));
        at = end;
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException("holds a value that was not written by Redline", e);
    }
    if (fields.size() < count) {
      throw new IOException("holds a value that was not written by this version of Redline");
    }
    return fields;
  }
}
