package dev.redline.application;

import dev.redline.core.internal.settings.PropertyCatalog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What adapters need to merge the sources of a framework's configuration into one flat map. */
public final class LayeredProperties {
  private static final Logger LOG = System.getLogger(LayeredProperties.class.getName());

  private LayeredProperties() {}

  /** Replaces what a stronger source says, regardless of its spelling, list or not. */
  public static void overlay(Map<String, String> weaker, Map<String, String> stronger) {
    Set<String> replaced =
        stronger.keySet().stream().map(LayeredProperties::fold).collect(Collectors.toSet());
    weaker.keySet().removeIf(name -> replaced.contains(fold(name)));
    weaker.putAll(stronger);
  }

  /** Returns the form in which all spellings of a name are equal. */
  private static String fold(String name) {
    int bracket = name.indexOf('[');
    String bare = bracket < 0 ? name : name.substring(0, bracket);
    return bare.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /** Logs each {@code RL_*} variable that stands for no property. */
  public static void warnOfUnknownVariables(
      Map<String, String> variables, PropertyCatalog catalog) {
    catalog
        .unknownVariables(variables)
        .forEach(
            (variable, meant) ->
                LOG.log(
                    Level.WARNING,
                    "the environment variable "
                        + variable
                        + " stands for no property"
                        + meant.map(name -> "; did you mean " + name + "?").orElse("")));
  }
}
