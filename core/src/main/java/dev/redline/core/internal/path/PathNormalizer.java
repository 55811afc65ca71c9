package dev.redline.core.internal.path;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Brings a request path into the one form that rules are matched against, so that no spelling of a
 * path evades a rule.
 *
 * <p>Scheme and authority of a whole URI, query and fragment are cut; percent-encoding is undone
 * until nothing is left to undo, except that a question mark or hash within a segment is {@code
 * %3F} or {@code %23}; a backslash counts as a slash; {@code ;params} are cut from each segment;
 * empty, {@code .} and {@code ..} segments are resolved; a trailing slash is dropped. The normal
 * form of a normal form is itself. Linear in the length of the path, and without allocation for a
 * path that is in normal form already.
 */
public final class PathNormalizer {
  private PathNormalizer() {}

  /** Returns the normal form, which starts with a slash; of an empty path it is {@code /}. */
  public static String normalize(String path) {
    return isNormal(path) ? path : escape(resolve(decode(cut(path, authorityEnd(path)))));
  }

  /**
   * Returns the normal form of the part of a path below the path of an application, or null if it
   * is not below it. Both may have any spelling.
   */
  public static @Nullable String within(String path, String application) {
    String normal = normalize(path);
    String root = normalize(application);
    if (root.length() == 1) {
      return normal;
    }
    if (!normal.startsWith(root)) {
      return null;
    }
    int end = root.length();
    if (normal.length() == end) {
      return "/";
    }
    return normal.charAt(end) == '/' ? normal.substring(end) : null;
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

  /** Returns where the path of a whole URI, such as {@code http://host/x}, begins; else 0. */
  private static int authorityEnd(String path) {
    int colon = 0;
    while (colon < path.length() && isSchemeCharacter(path.charAt(colon))) {
      colon++;
    }
    boolean uri =
        colon > 0
            && colon + 2 < path.length()
            && path.charAt(colon) == ':'
            && isSlash(path.charAt(colon + 1))
            && isSlash(path.charAt(colon + 2));
    if (!uri) {
      return 0;
    }
    int end = colon + 3;
    while (end < path.length() && !isSlash(path.charAt(end)) && !endsPath(path.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isSchemeCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '+'
        || c == '-'
        || c == '.';
  }

  private static boolean isSlash(char c) {
    return c == '/' || c == '\\';
  }

  private static boolean endsPath(char c) {
    return c == '?' || c == '#';
  }

  private static String cut(String path, int from) {
    int to = from;
    while (to < path.length() && !endsPath(path.charAt(to))) {
      to++;
    }
    return path.substring(from, to);
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
      while (end < path.length() && !isSlash(path.charAt(end))) {
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

  /** Escapes what would end the path if it was read again. */
  private static String escape(String path) {
    return path.indexOf('?') < 0 && path.indexOf('#') < 0
        ? path
        : path.replace("?", "%3F").replace("#", "%23");
  }
}
