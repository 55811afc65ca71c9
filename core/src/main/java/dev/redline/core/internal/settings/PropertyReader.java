package dev.redline.core.internal.settings;

import dev.redline.core.settings.InvalidSettingsException;
import java.util.ArrayList;
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
public final class PropertyReader {
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> read = new HashSet<>();
  private final Set<String> known = new TreeSet<>();
  private final Map<String, PropertyDescription> descriptions = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /** Reads from names with values; a list may be given as {@code name[0]}, {@code name[1]}…. */
  public PropertyReader(Map<String, String> flat) {
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

  /**
   * Returns a property to read.
   *
   * @param text what users read about it, in Markdown
   */
  public Property property(String name, String text) {
    return new Property(this, name, text);
  }

  /**
   * Documents a property that is not read by one name, such as {@code rl.admin.tokens.<name>.role}.
   */
  public void describe(String name, String unlessSet, String text) {
    descriptions.putIfAbsent(name, new PropertyDescription(name, unlessSet, text));
  }

  /**
   * Returns the properties that a described name with {@code <name>} stands for, by the names that
   * users chose.
   */
  public Property chosen(String described, String name) {
    return new Property(this, described.replace(PropertyDescription.CHOSEN, name), null);
  }

  /** Returns the names that occur between a prefix and the next dot, as they were written. */
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

  /** Returns a property's value, or null if it is absent or empty; from then on it is known. */
  @Nullable String value(String name) {
    read.add(PropertyNames.fold(name));
    known.add(name);
    String value = values.get(PropertyNames.fold(name));
    return value == null || value.isEmpty() ? null : value;
  }

  /** Reports what is wrong with a property. */
  public void problem(String name, String value, String allowed) {
    problems.add(name + ": '" + value + "' is not allowed; " + allowed);
  }

  /** Reports what is wrong with a property whose value must not be shown. */
  public void secretProblem(String name, String allowed) {
    problems.add(name + ": the value is not allowed; " + allowed);
  }

  /** Reports that two properties exclude each other. */
  void conflict(String name, String other) {
    problems.add(name + ": set either it or " + other + ", not both");
  }

  /** Rejects a property by name, also as an environment variable. */
  public void reject(String name, String reason) {
    if (value(name) != null) {
      problems.add(name + ": " + reason);
    }
  }

  /** Rejects every property under a prefix that was not read. */
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
      throw new InvalidSettingsException(problems.stream().sorted().toList());
    }
  }

  private String suggestion(String name) {
    return PropertyNames.nearest(name, known)
        .map(meant -> "; did you mean " + meant + "?")
        .orElse("");
  }
}
