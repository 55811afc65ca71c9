package dev.redline.rules.documents.internal.parsing;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values that came from placeholders, which problems must not show: a placeholder may hold a
 * secret, and problems are shown to unauthenticated users.
 */
public final class HiddenValues {
  private static final Pattern QUOTED = Pattern.compile("'([^']{2,})'");
  private static final int MOST_VALUES = 1000;

  /** Shorter values are hidden only on their own line: they occur in other words by chance. */
  private static final int MIN_LENGTH = 3;

  private record Hidden(String value, String shown) {}

  /** By line: a document has many lines, and a problem concerns one. */
  private final Map<Integer, Set<Hidden>> byLine = new HashMap<>();

  /** By the first characters, so that a text is searched for all values at once. */
  private final Map<String, Set<Hidden>> byStart = new HashMap<>();

  private int values;

  /** Hides a value on a line; problems show the placeholder of this name instead. */
  void hide(int line, String value, String name) {
    if (!value.isBlank()) {
      Hidden hidden = new Hidden(value.strip(), "${" + name + "}");
      byLine.computeIfAbsent(line, unused -> new LinkedHashSet<>()).add(hidden);
      if (hidden.value().length() >= MIN_LENGTH && values < MOST_VALUES) {
        String start = hidden.value().substring(0, MIN_LENGTH);
        values += byStart.computeIfAbsent(start, s -> new LinkedHashSet<>()).add(hidden) ? 1 : 0;
      }
    }
  }

  /** Returns whether a text about a line has hidden values in it. */
  public boolean hides(int line, String text) {
    return !without(line, text).equals(text);
  }

  /** Returns a text about a line without the hidden values. */
  public String without(int line, String text) {
    String shown = text;
    for (Hidden hidden : byLine.getOrDefault(line, Set.of())) {
      shown = withoutOwn(shown, hidden);
    }
    return byStart.isEmpty() ? shown : withoutOthers(shown);
  }

  /** Hides the values of other lines, where they are not part of a longer word. */
  private String withoutOthers(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    int i = 0;
    while (i < text.length()) {
      Optional<Hidden> hidden = startingAt(i, text);
      shown.append(hidden.map(Hidden::shown).orElse(text.substring(i, i + 1)));
      i += hidden.map(found -> found.value().length()).orElse(1);
    }
    return shown.toString();
  }

  private Optional<Hidden> startingAt(int i, String text) {
    if (i + MIN_LENGTH > text.length() || isWordAt(i - 1, text)) {
      return Optional.empty();
    }
    return byStart.getOrDefault(text.substring(i, i + MIN_LENGTH), Set.of()).stream()
        .filter(hidden -> text.startsWith(hidden.value(), i))
        .filter(hidden -> !isWordAt(i + hidden.value().length(), text))
        .max(Comparator.comparingInt(hidden -> hidden.value().length()));
  }

  private static boolean isWordAt(int i, String text) {
    return i >= 0
        && i < text.length()
        && text.charAt(i) < 0x80
        && Character.isLetterOrDigit(text.charAt(i));
  }

  /** Hides a value in a problem with itself, which may quote a part of it. */
  private static String withoutOwn(String text, Hidden hidden) {
    String value = hidden.value();
    if (text.equals(value)) {
      return hidden.shown();
    }
    // The whole value first: one with a quote in it looks like two parts that are quoted.
    String whole = value.length() < MIN_LENGTH ? text : text.replace(value, hidden.shown());
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
