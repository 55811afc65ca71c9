package dev.redline.core.path;

import java.nio.charset.StandardCharsets;

/**
 * Brings a request path into the one form that rules are matched against, so that no spelling of a
 * path evades a rule.
 *
 * <p>Query and fragment are cut; percent-encoding is undone until nothing is left to undo; a
 * backslash counts as a slash; {@code ;params} are cut from each segment; empty, {@code .} and
 * {@code ..} segments are resolved; a trailing slash is dropped. Linear in the length of the path,
 * and without allocation for a path that is in normal form already.
 */
public final class PathNormalizer {
  private PathNormalizer() {}

  /** Returns the normal form, which starts with a slash; of an empty path it is {@code /}. */
  public static String normalize(String path) {
    return isNormal(path) ? path : resolve(decode(cut(path)));
  }

  private static boolean isNormal(String path) {
    int length = path.length();
    if (length == 0 || path.charAt(0) != '/') {
      return false;
    }
    char previous = 'x';
    for (int i = 0; i < length; i++) {
      char c = path.charAt(i);
      switch (c) {
        case '%', '\\', ';', '?', '#' -> {
          return false;
        }
        case '/', '.' -> {
          if (previous == '/') {
            return false;
          }
        }
        default -> {}
      }
      previous = c;
    }
    return previous != '/' || length == 1;
  }

  private static String cut(String path) {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '?' || c == '#') {
        return path.substring(0, i);
      }
    }
    return path;
  }

  /**
   * Undoes percent-encoding until stable, in one pass: whenever the bytes put out so far end in an
   * escape, the escape is replaced, so that what it makes can be part of a further one.
   */
  private static String decode(String path) {
    if (path.indexOf('%') < 0) {
      return path;
    }
    byte[] in = path.getBytes(StandardCharsets.UTF_8);
    byte[] out = new byte[in.length];
    int size = 0;
    for (byte b : in) {
      out[size++] = b;
      while (size >= 3 && out[size - 3] == '%') {
        int high = Character.digit(out[size - 2], 16);
        int low = Character.digit(out[size - 1], 16);
        if (high < 0 || low < 0) {
          break;
        }
        size -= 2;
        out[size - 1] = (byte) (high << 4 | low);
      }
    }
    return new String(out, 0, size, StandardCharsets.UTF_8);
  }

  private static String resolve(String path) {
    StringBuilder out = new StringBuilder(path.length() + 1);
    int i = 0;
    while (i <= path.length()) {
      int end = i;
      int parameters = -1;
      while (end < path.length() && path.charAt(end) != '/' && path.charAt(end) != '\\') {
        if (parameters < 0 && path.charAt(end) == ';') {
          parameters = end;
        }
        end++;
      }
      append(out, path, i, parameters < 0 ? end : parameters);
      i = end + 1;
    }
    return out.length() == 0 ? "/" : out.toString();
  }

  private static void append(StringBuilder out, String path, int from, int to) {
    int length = to - from;
    if (length == 0 || (length == 1 && path.charAt(from) == '.')) {
      return;
    }
    if (length == 2 && path.charAt(from) == '.' && path.charAt(from + 1) == '.') {
      out.setLength(Math.max(0, out.lastIndexOf("/")));
      return;
    }
    out.append('/').append(path, from, to);
  }
}
