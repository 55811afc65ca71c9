package dev.redline.core.internal.settings;

import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.PropertyReader.Property;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A flat map of properties while modules read it. Reading a property also documents it.
 *
 * <p>{@link #finish} reports all problems together: values that are wrong, and properties that no
 * module has read.
 */
public final class FlatProperties implements PropertyReader {
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> read = new HashSet<>();
  private final Set<String> known = new TreeSet<>();
  private final Map<String, PropertyDescription> descriptions = new LinkedHashMap<>();
  // Modules that share a property, such as rl.redis.uri, all report the same problem.
  private final Set<String> problems = new TreeSet<>();

  /** Reads from names with values; a list may be given as {@code name[0]}, {@code name[1]}…. */
  public FlatProperties(Map<String, String> flat) {
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
    names.put(PropertyNames.fold(name), name);
    values.put(PropertyNames.fold(name), value.trim());
  }

  @Override
  public Property property(String name, String text) {
    return new FlatProperty(this, name, text);
  }

  @Override
  public void describe(String name, String unlessSet, String text) {
    descriptions.putIfAbsent(name, new PropertyDescription(name, unlessSet, text));
  }

  @Override
  public Property chosen(String described, String name) {
    return new FlatProperty(this, described.replace(PropertyDescription.CHOSEN, name), null);
  }

  @Override
  public List<String> namesUnder(String prefix) {
    Set<String> found = new TreeSet<>();
    names.forEach(
        (folded, written) -> {
          if (folded.startsWith(PropertyNames.fold(prefix))) {
            int end = written.indexOf('.', prefix.length());
            if (end > 0) {
              found.add(written.substring(prefix.length(), end));
            }
          }
        });
    return List.copyOf(found);
  }

  @Override
  public List<String> leavesUnder(String prefix) {
    Set<String> found = new TreeSet<>();
    names.forEach(
        (folded, written) -> {
          if (folded.startsWith(PropertyNames.fold(prefix))
              && written.length() > prefix.length()
              && written.indexOf('.', prefix.length()) < 0) {
            found.add(written.substring(prefix.length()));
          }
        });
    return List.copyOf(found);
  }

  /** Returns a property's value, or null if it is absent or empty; from then on it is known. */
  @Nullable String value(String name) {
    read.add(PropertyNames.fold(name));
    known.add(name);
    String value = values.get(PropertyNames.fold(name));
    return value == null || value.isEmpty() ? null : value;
  }

  @Override
  public void problem(String name, String value, String allowed) {
    problems.add(name + ": '" + value + "' is not allowed; " + allowed);
  }

  @Override
  public void secretProblem(String name, String allowed) {
    problems.add(name + ": the value is not allowed; " + allowed);
  }

  /** Reports that two properties exclude each other. */
  void conflict(String name, String other) {
    problems.add(name + ": set either it or " + other + ", not both");
  }

  @Override
  public void reject(String name, String reason) {
    if (value(name) != null) {
      problems.add(name + ": " + reason);
    }
  }

  @Override
  public void rejectUnder(String prefix, String reason) {
    names.forEach(
        (folded, written) -> {
          if (folded.startsWith(PropertyNames.fold(prefix)) && read.add(folded)) {
            problems.add(written + ": " + reason);
          }
        });
  }

  /** Returns every name that was read, whether it has a value or not. */
  Set<String> known() {
    return known;
  }

  /** Returns the descriptions of the properties that were read, in that order. */
  List<PropertyDescription> descriptions() {
    return List.copyOf(descriptions.values());
  }

  /**
   * Ends the reading.
   *
   * @throws InvalidSettingsException if a value is wrong, or a property was given that was not read
   */
  public void finish() {
    names.forEach(
        (folded, name) -> {
          if (!read.contains(folded)) {
            problems.add(name + ": there is no such property" + suggestion(name));
          }
        });
    if (!problems.isEmpty()) {
      throw new InvalidSettingsException(List.copyOf(problems));
    }
  }

  private String suggestion(String name) {
    return PropertyNames.nearest(name, known)
        .map(meant -> "; did you mean " + meant + "?")
        .orElse("");
  }
}
