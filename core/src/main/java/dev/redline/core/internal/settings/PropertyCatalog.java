package dev.redline.core.internal.settings;

import dev.redline.core.spi.PropertyReader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * All properties that an application understands: what users read about them, and the environment
 * variables that stand for them.
 */
public final class PropertyCatalog {
  private final List<PropertyDescription> descriptions;
  private final Map<String, String> byVariable = new HashMap<>();

  /**
   * Collects the properties.
   *
   * @param reading reads all of them; called once, without any value
   */
  public PropertyCatalog(Consumer<PropertyReader> reading) {
    FlatProperties empty = new FlatProperties(Map.of());
    reading.accept(empty);
    this.descriptions = empty.descriptions();
    empty.known().forEach(name -> byVariable.put(PropertyNames.variable(name), name));
  }

  /** Returns the descriptions, in the order of reading. */
  public List<PropertyDescription> descriptions() {
    return descriptions;
  }

  /**
   * Returns the properties that environment variables stand for: {@code RL_STORAGE_MAX_KEYS} is
   * {@code rl.storage.max-keys}. Variables that stand for none, or are empty, are left out.
   */
  public Map<String, String> environment(Map<String, String> variables) {
    Map<String, String> properties = new LinkedHashMap<>();
    variables.forEach(
        (variable, value) ->
            property(variable)
                .filter(name -> !value.isEmpty())
                .ifPresent(name -> properties.put(name, value)));
    return properties;
  }

  /**
   * Returns the {@code RL_*} variables that stand for no property, each with the one that was
   * probably meant, if any is near.
   */
  public Map<String, Optional<String>> unknownVariables(Map<String, String> variables) {
    Map<String, Optional<String>> unknown = new TreeMap<>();
    for (String variable : variables.keySet()) {
      if (variable.startsWith("RL_") && property(variable).isEmpty()) {
        unknown.put(variable, PropertyNames.nearest(variable, byVariable.keySet()));
      }
    }
    return unknown;
  }

  private Optional<String> property(String variable) {
    return Optional.ofNullable(byVariable.get(variable))
        .or(() -> chosen(variable))
        .or(() -> under(variable));
  }

  /** Returns the property under a described prefix, such as {@code rl.redis.pool.*}. */
  private Optional<String> under(String variable) {
    return descriptions.stream()
        .map(PropertyDescription::name)
        .filter(name -> name.endsWith(".*"))
        .map(name -> name.substring(0, name.length() - 1))
        .filter(prefix -> variable.startsWith(PropertyNames.variable(prefix)))
        .map(prefix -> prefix + variable.substring(prefix.length()).toLowerCase(Locale.ROOT))
        .findFirst();
  }

  /**
   * Returns the property with a name that a user chose: {@code rl.admin.tokens.ci.value}. If
   * several fit, the one with the longest end is meant: {@code …_CI_FILE} is the file of {@code
   * ci}.
   */
  private Optional<String> chosen(String variable) {
    String found = null;
    int longest = -1;
    for (PropertyDescription description : descriptions) {
      String name = description.name();
      int at = name.indexOf(PropertyDescription.CHOSEN);
      if (at < 0) {
        continue;
      }
      String before = PropertyNames.variable(name.substring(0, at));
      String after =
          PropertyNames.variable(name.substring(at + PropertyDescription.CHOSEN.length()));
      int end = variable.length() - after.length();
      if (after.length() > longest
          && variable.startsWith(before)
          && variable.endsWith(after)
          && end > before.length()) {
        String chosen = variable.substring(before.length(), end).toLowerCase(Locale.ROOT);
        found = name.replace(PropertyDescription.CHOSEN, chosen);
        longest = after.length();
      }
    }
    return Optional.ofNullable(found);
  }
}
