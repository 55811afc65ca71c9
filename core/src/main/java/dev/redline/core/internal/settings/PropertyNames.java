package dev.redline.core.internal.settings;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Compares names of properties as Spring does, ignoring case, dashes and underscores. */
final class PropertyNames {
  /** Names that differ in more characters than these are not taken for each other. */
  private static final int MAX_DISTANCE = 3;

  private PropertyNames() {}

  /** Returns the form in which all spellings of a name are equal. */
  static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /** Returns the environment variable of a property. */
  static String variable(String name) {
    return name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  /** Returns the candidate that is spelt most like a name, if one is near enough. */
  static Optional<String> nearest(String name, Collection<String> candidates) {
    String nearest = null;
    int best = MAX_DISTANCE + 1;
    for (String candidate : candidates) {
      int distance = distance(fold(name), fold(candidate));
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** Returns the Levenshtein distance: how many characters to insert, delete or replace. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
