package dev.redline.core.internal.path;

/**
 * A text with wildcards: {@code ?} is one character, {@code *} any number of them.
 *
 * @param pattern the text; case-sensitive
 */
public record Glob(String pattern) {
  /** Returns whether a text has wildcards at all. */
  public static boolean hasWildcards(String text) {
    return text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
  }

  /** Returns whether the whole text matches. */
  public boolean matches(String text) {
    return matches(text, 0, text.length());
  }

  /**
   * Returns whether the part of the text from {@code from} to {@code to} matches; linear
   * space-free.
   */
  public boolean matches(String text, int from, int to) {
    int p = 0;
    int t = from;
    int star = -1;
    int retry = from;
    while (t < to) {
      char c = p < pattern.length() ? pattern.charAt(p) : 0;
      if (p < pattern.length() && c == '*') {
        star = p++;
        retry = t;
      } else if (p < pattern.length() && (c == '?' || c == text.charAt(t))) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  @Override
  public String toString() {
    return pattern;
  }
}
