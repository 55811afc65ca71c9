package dev.redline.core.settings;

import dev.redline.core.internal.limit.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A flat map of properties while it is read: every value that is asked for is checked, everything
 * that nobody asked for is unknown, and all problems are kept to be told together.
 *
 * <p>Names are compared as Spring does, ignoring case, dashes and underscores.
 */
final class PropertyReader {
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> asked = new HashSet<>();
  private final Set<String> known = new TreeSet<>();
  private final List<String> problems = new ArrayList<>();

  PropertyReader(Map<String, String> flat) {
    Map<String, TreeMap<Integer, String>> lists = new LinkedHashMap<>();
    flat.forEach(
        (name, value) -> {
          int bracket = name.indexOf('[');
          if (bracket > 0 && name.endsWith("]") && isIndex(name, bracket)) {
            int index = Integer.parseInt(name, bracket + 1, name.length() - 1, 10);
            lists
                .computeIfAbsent(name.substring(0, bracket), list -> new TreeMap<>())
                .put(index, value);
          } else {
            put(name, value);
          }
        });
    lists.forEach((name, items) -> put(name, String.join(",", items.values())));
  }

  private static boolean isIndex(String name, int bracket) {
    String index = name.substring(bracket + 1, name.length() - 1);
    return !index.isEmpty() && index.length() < 6 && index.chars().allMatch(Character::isDigit);
  }

  private void put(String name, String value) {
    names.put(fold(name), name);
    values.put(fold(name), value.trim());
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /** Returns the names that occur between a prefix and the next dot, as they were written. */
  List<String> namesUnder(String prefix) {
    Set<String> found = new TreeSet<>();
    for (Map.Entry<String, String> entry : names.entrySet()) {
      if (entry.getKey().startsWith(fold(prefix))) {
        String written = entry.getValue();
        int end = written.indexOf('.', prefix.length());
        if (end > 0) {
          found.add(written.substring(prefix.length(), end));
        }
      }
    }
    return List.copyOf(found);
  }

  private @Nullable String raw(String name) {
    asked.add(fold(name));
    known.add(name);
    String value = values.get(fold(name));
    return value == null || value.isEmpty() ? null : value;
  }

  /** Notes what is wrong with a property. */
  void problem(String name, String value, String allowed) {
    problems.add(name + ": '" + value + "' is not allowed; " + allowed);
  }

  /** Notes what is wrong with a property whose value must not be shown. */
  void secretProblem(String name, String allowed) {
    problems.add(name + ": the value is not allowed; " + allowed);
  }

  <T> Optional<T> read(String name, String allowed, Function<String, T> parser) {
    String value = raw(name);
    if (value == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(value));
    } catch (IllegalArgumentException e) {
      problem(name, value, allowed);
      return Optional.empty();
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(raw(name));
  }

  String text(String name, String unlessSet) {
    return text(name).orElse(unlessSet);
  }

  /** Returns a secret, given as it is or as the file that holds it. */
  Optional<String> secret(String name, String fileName) {
    Optional<String> value = text(name);
    Optional<String> file = text(fileName);
    if (value.isPresent() && file.isPresent()) {
      problems.add(name + ": set either it or " + fileName + ", not both");
    }
    return value.or(() -> file.flatMap(path -> content(fileName, path)));
  }

  private Optional<String> content(String name, String path) {
    try {
      return Optional.of(Files.readString(Path.of(path)).strip());
    } catch (IOException e) {
      problem(name, path, "the file must exist and be readable");
      return Optional.empty();
    }
  }

  boolean bool(String name, boolean unlessSet) {
    return read(
            name,
            "use true or false",
            value ->
                switch (value.toLowerCase(Locale.ROOT)) {
                  case "true" -> true;
                  case "false" -> false;
                  default -> throw new IllegalArgumentException(value);
                })
        .orElse(unlessSet);
  }

  long number(String name, long unlessSet, long min, long max) {
    String allowed = "use a whole number from " + min + " to " + max;
    return read(
            name,
            allowed,
            value -> {
              long number = Long.parseLong(value.replace("_", ""));
              if (number < min || number > max) {
                throw new IllegalArgumentException(value);
              }
              return number;
            })
        .orElse(unlessSet);
  }

  double fraction(String name, double unlessSet, double max) {
    return read(
            name,
            "use a number above 0 and up to " + max,
            value -> {
              double number = Double.parseDouble(value);
              if (!(number > 0 && number <= max)) {
                throw new IllegalArgumentException(value);
              }
              return number;
            })
        .orElse(unlessSet);
  }

  Duration duration(String name, Duration unlessSet) {
    return read(
            name,
            "use a duration such as 50ms, 2s or 5m",
            value -> {
              Duration duration = DurationText.parse(value);
              if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(value);
              }
              return duration;
            })
        .orElse(unlessSet);
  }

  <E extends Enum<E>> E choice(String name, Class<E> type, E unlessSet) {
    return this.<E>choice(name, type).orElse(unlessSet);
  }

  <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    return read(name, allowed(type), value -> constant(type, value));
  }

  <E extends Enum<E>> List<E> choices(String name, Class<E> type, List<E> unlessSet) {
    List<String> words = words(name);
    if (words.isEmpty()) {
      return unlessSet;
    }
    List<E> chosen = new ArrayList<>();
    for (String word : words) {
      try {
        chosen.add(constant(type, word));
      } catch (IllegalArgumentException e) {
        problem(name, word, allowed(type));
      }
    }
    return chosen;
  }

  private static <E extends Enum<E>> String allowed(Class<E> type) {
    return "use one of "
        + String.join(", ", Arrays.stream(type.getEnumConstants()).map(Enum::name).toList());
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String value) {
    for (E constant : type.getEnumConstants()) {
      if (fold(constant.name()).equals(fold(value))) {
        return constant;
      }
    }
    throw new IllegalArgumentException(value);
  }

  List<String> words(String name) {
    String value = raw(name);
    if (value == null) {
      return List.of();
    }
    return Arrays.stream(value.split(","))
        .map(String::trim)
        .filter(word -> !word.isEmpty())
        .toList();
  }

  /** Accepts every property under a prefix without reading it here. */
  void leave(String prefix) {
    for (String name : names.keySet()) {
      if (name.startsWith(fold(prefix))) {
        asked.add(name);
      }
    }
  }

  /** Rejects a property by name, also as an environment variable. */
  void reject(String name, String reason) {
    if (raw(name) != null) {
      problems.add(name + ": " + reason);
    }
  }

  /** Rejects every property under a prefix that was not asked for. */
  void rejectUnder(String prefix, String reason) {
    names.forEach(
        (folded, written) -> {
          if (folded.startsWith(fold(prefix)) && asked.add(folded)) {
            problems.add(written + ": " + reason);
          }
        });
  }

  /** Returns every name that was asked for. */
  Set<String> known() {
    return Collections.unmodifiableSet(known);
  }

  /** Throws if a value was wrong, or a property was given that nobody asked for. */
  void finish() {
    names.forEach(
        (folded, name) -> {
          if (!asked.contains(folded)) {
            problems.add(name + ": there is no such property" + suggestion(name));
          }
        });
    if (!problems.isEmpty()) {
      throw new InvalidSettingsException(problems.stream().sorted().toList());
    }
  }

  private String suggestion(String name) {
    return nearest(name, known).map(meant -> "; did you mean " + meant + "?").orElse("");
  }

  /** Returns the candidate that is spelt most like a name, if one is near enough. */
  static Optional<String> nearest(String name, Collection<String> candidates) {
    String nearest = null;
    int best = 4;
    for (String candidate : candidates) {
      int distance = distance(fold(name), fold(candidate));
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

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
