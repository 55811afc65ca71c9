package dev.redline.core.internal.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON text (RFC 8259) into maps, lists, strings, doubles and booleans. A member that is
 * null is left out of its object; the last of equal names wins. The depth is bounded.
 */
public final class JsonParser {
  private static final int MAX_DEPTH = 64;

  private final String text;
  private int at;

  private JsonParser(String text) {
    this.text = text;
  }

  /**
   * Reads a text that holds an object.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static Map<String, Object> object(String text) {
    if (value(text) instanceof Map<?, ?> map) {
      Map<String, Object> object = new LinkedHashMap<>();
      map.forEach((name, value) -> object.put(String.valueOf(name), value));
      return object;
    }
    throw new IllegalArgumentException("not a JSON object");
  }

  /**
   * Reads a text that holds an array of objects.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static List<Map<String, Object>> objects(String text) {
    if (!(value(text) instanceof List<?> items)) {
      throw new IllegalArgumentException("not a JSON array");
    }
    List<Map<String, Object>> objects = new ArrayList<>();
    for (Object item : items) {
      if (!(item instanceof Map<?, ?> map)) {
        throw new IllegalArgumentException("not an array of JSON objects");
      }
      Map<String, Object> object = new LinkedHashMap<>();
      map.forEach((name, value) -> object.put(String.valueOf(name), value));
      objects.add(object);
    }
    return objects;
  }

  /** Returns a member that is a string. */
  public static Optional<String> string(Map<String, Object> object, String name) {
    return object.get(name) instanceof String value ? Optional.of(value) : Optional.empty();
  }

  /** Returns a member that is a number. */
  public static Optional<Double> number(Map<String, Object> object, String name) {
    return object.get(name) instanceof Double value ? Optional.of(value) : Optional.empty();
  }

  private static @Nullable Object value(String text) {
    JsonParser parser = new JsonParser(text);
    Object value = parser.value(0);
    parser.space();
    if (parser.at < text.length()) {
      throw parser.unexpected();
    }
    return value;
  }

  private @Nullable Object value(int depth) {
    space();
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("nested too deeply");
    }
    return switch (peek()) {
      case '{' -> map(depth);
      case '[' -> list(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> map(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    space();
    if (skip('}')) {
      return members;
    }
    do {
      space();
      String name = string();
      space();
      expect(':');
      Object value = value(depth + 1);
      if (value != null) {
        members.put(name, value);
      }
      space();
    } while (skip(','));
    expect('}');
    return members;
  }

  private List<@Nullable Object> list(int depth) {
    List<@Nullable Object> items = new ArrayList<>();
    at++;
    space();
    if (skip(']')) {
      return items;
    }
    do {
      items.add(value(depth + 1));
      space();
    } while (skip(','));
    expect(']');
    return items;
  }

  private String string() {
    expect('"');
    int start = at;
    while (at < text.length() && isPlain(text.charAt(at))) {
      at++;
    }
    if (peek() == '"') {
      return text.substring(start, at++);
    }
    StringBuilder result = new StringBuilder().append(text, start, at);
    while (peek() != '"') {
      char c = text.charAt(at++);
      if (c < ' ') {
        throw unexpected();
      }
      result.append(c == '\\' ? escaped() : c);
    }
    at++;
    return result.toString();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\';
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw unexpected();
        }
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> throw unexpected();
    };
  }

  private double number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw unexpected();
    }
    return Double.parseDouble(text.substring(start, at));
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw unexpected();
    }
    at += word.length();
    return value;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw new IllegalArgumentException("the JSON text ends too early");
    }
    return text.charAt(at);
  }

  private boolean skip(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw unexpected();
    }
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException("not JSON at character " + at);
  }
}
