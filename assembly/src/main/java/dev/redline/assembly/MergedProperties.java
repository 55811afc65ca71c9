package dev.redline.assembly;

import dev.redline.core.internal.settings.PropertyCatalog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Collects the {@code rl.*} properties of several sources into one flat map, the weakest source
 * first. Used by one thread.
 */
public final class MergedProperties {
  private static final Logger LOG = System.getLogger(MergedProperties.class.getName());

  private final PropertyCatalog catalog;
  private final Map<String, String> merged = new LinkedHashMap<>();

  /**
   * Creates it without properties.
   *
   * @param catalog knows what environment variables stand for
   */
  public MergedProperties(PropertyCatalog catalog) {
    this.catalog = catalog;
  }

  /** Adds a source; it replaces what weaker ones say, regardless of the spelling, list or not. */
  public void add(Map<String, String> stronger) {
    Set<String> replaced =
        stronger.keySet().stream().map(MergedProperties::fold).collect(Collectors.toSet());
    merged.keySet().removeIf(name -> replaced.contains(fold(name)));
    merged.putAll(stronger);
  }

  /** Adds environment variables: {@code RL_STORAGE_MAX_KEYS} is {@code rl.storage.max-keys}. */
  public void addVariables(Map<String, String> variables) {
    add(catalog.environment(variables));
  }

  /** Returns the properties in force. */
  public Map<String, String> merged() {
    return new LinkedHashMap<>(merged);
  }

  /** Logs each {@code RL_*} variable that stands for no property. */
  public static void warnOfUnknown(Map<String, String> variables, PropertyCatalog catalog) {
    catalog
        .unknownVariables(variables)
        .forEach(
            (variable, meant) ->
                LOG.log(
                    Level.WARNING,
                    "the environment variable "
                        + variable
                        + " is not known"
                        + meant.map(name -> "; did you mean " + name + "?").orElse("")));
  }

  /** Returns the form in which all spellings of a name are equal. */
  public static String fold(String name) {
    int bracket = name.indexOf('[');
    String bare = bracket < 0 ? name : name.substring(0, bracket);
    return bare.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }
}
