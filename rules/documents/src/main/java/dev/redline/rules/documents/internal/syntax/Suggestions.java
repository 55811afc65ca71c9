package dev.redline.rules.documents.internal.syntax;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name closest to a misspelt one. */
public final class Suggestions {
  private Suggestions() {}

  /** Returns the candidate closest to the word, if one is close. */
  public static Optional<String> closest(String word, Collection<String> candidates) {
    String folded = fold(word);
    int allowed = folded.length() <= 3 ? 1 : folded.length() <= 8 ? 2 : 3;
    String best = null;
    for (String candidate : candidates) {
      String other = fold(candidate);
      if (Math.abs(other.length() - folded.length()) > allowed) {
        continue;
      }
      int distance = distance(folded, other);
      if (distance < other.length() && distance <= allowed) {
        best = candidate;
        allowed = distance - 1;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Returns the word without case, dashes and underscores. */
  static String fold(String word) {
    return word.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }

  /** Counts the characters to insert, delete, replace or swap with their neighbour. */
  private static int distance(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(last[j - 1] + change, Math.min(last[j], row[j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = row;
    }
    return last[b.length()];
  }
}
