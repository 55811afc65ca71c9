package dev.redline.core.internal.limit;

import java.util.regex.Pattern;

/** The checks that ids, labels and numbers of the rule model share, and how their errors read. */
public final class AllowedValues {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  private AllowedValues() {}

  /** What an id is, for errors. */
  public static final String IDS = "1 to 128 letters, digits and . _ -";

  /** Returns an id or label, or throws naming it. */
  public static String id(String what, String value) {
    if (!ID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          what + " must be 1 to 128 characters of A-Z a-z 0-9 . _ -, was '" + value + "'");
    }
    return value;
  }

  /** Returns a number within bounds, or throws naming it and the bound. */
  public static long between(String what, long value, long min, long max) {
    if (value < min) {
      throw new IllegalArgumentException(what + " must be at least " + min + ", was " + value);
    }
    if (value > max) {
      throw new IllegalArgumentException(what + " must be at most " + max + ", was " + value);
    }
    return value;
  }

  /** Returns the end of a composed label that is too long to be one. */
  public static String clipped(String label) {
    return label.length() <= 128 ? label : label.substring(label.length() - 128);
  }
}
