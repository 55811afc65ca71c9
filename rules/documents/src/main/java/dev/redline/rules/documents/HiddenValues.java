package dev.redline.rules.documents;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values that came from placeholders, which problems must not show: a placeholder may stand for
 * a secret, and problems are shown where nobody is authenticated.
 */
final class HiddenValues {
  private static final Pattern QUOTED = Pattern.compile("'([^']{2,})'");
  private static final int MOST_VALUES = 1000;

  /** Shorter values are hidden only on their own line: they occur in other words by chance. */
  private static final int TELLING_LENGTH = 3;

  private record Hidden(String value, String shown) {}

  private record Placed(int line, Hidden hidden) {}

  private final Set<Hidden> everywhere = new LinkedHashSet<>();
  private final Set<Placed> byLine = new LinkedHashSet<>();

  /** Hides a value that stands on a line, showing the placeholder of this name instead. */
  void hide(int line, String value, String name) {
    if (!value.isBlank()) {
      Hidden hidden = new Hidden(value.strip(), "${" + name + "}");
      if (hidden.value().length() >= TELLING_LENGTH && everywhere.size() < MOST_VALUES) {
        everywhere.add(hidden);
      }
      byLine.add(new Placed(line, hidden));
    }
  }

  /** Returns whether a text about a line has hidden values in it. */
  boolean hides(int line, String text) {
    return !without(line, text).equals(text);
  }

  /** Returns a text about a line without the hidden values. */
  String without(int line, String text) {
    String shown = text;
    for (Placed placed : byLine) {
      if (placed.line() == line) {
        shown = withoutOwn(shown, placed.hidden());
      }
    }
    for (Hidden hidden : everywhere) {
      if (shown.contains(hidden.value())) {
        shown =
            Pattern.compile("(?<![A-Za-z0-9])" + Pattern.quote(hidden.value()) + "(?![A-Za-z0-9])")
                .matcher(shown)
                .replaceAll(Matcher.quoteReplacement(hidden.shown()));
      }
    }
    return shown;
  }

  /** Hides a value in a problem with itself, which may quote a part of it. */
  private static String withoutOwn(String text, Hidden hidden) {
    String value = hidden.value();
    if (text.equals(value)) {
      return hidden.shown();
    }
    // The whole value first: one with a quote in it looks like two parts that are quoted.
    String whole = value.length() < TELLING_LENGTH ? text : text.replace(value, hidden.shown());
    String shown =
        QUOTED
            .matcher(whole)
            .replaceAll(
                quoted ->
                    Matcher.quoteReplacement(
                        "'" + withoutPart(quoted.group(1), value, hidden.shown()) + "'"));
    return shown.replace("was " + value, "was " + hidden.shown());
  }

  private static String withoutPart(String quoted, String value, String shown) {
    return value.contains(quoted) ? shown : quoted.replace(value, shown);
  }
}
