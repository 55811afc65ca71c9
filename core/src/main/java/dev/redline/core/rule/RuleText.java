package dev.redline.core.rule;

import java.util.regex.Pattern;

/** The checks that ids, labels and numbers of the rule model share, and how their errors read. */
final class RuleText {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  private RuleText() {}

  static String id(String what, String value) {
    if (!ID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          what + " must be 1 to 128 characters of A-Z a-z 0-9 . _ -, was '" + value + "'");
    }
    return value;
  }

  static long between(String what, long value, long min, long max) {
    if (value < min) {
      throw new IllegalArgumentException(what + " must be at least " + min + ", was " + value);
    }
    if (value > max) {
      throw new IllegalArgumentException(what + " must be at most " + max + ", was " + value);
    }
    return value;
  }
}
