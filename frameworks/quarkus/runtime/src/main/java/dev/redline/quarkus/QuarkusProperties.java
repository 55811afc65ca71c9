package dev.redline.quarkus;

import dev.redline.assembly.MergedProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import io.smallrye.common.expression.Expression;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Collects the {@code rl.*} properties of a configuration into one flat map.
 *
 * <p>SmallRye's own view of environment variables is not used: it cannot tell {@code
 * RL_STORAGE_MAX_KEYS} from {@code rl.storage.max.keys} without a mapping of every property.
 */
final class QuarkusProperties {
  private static final String PREFIX = "rl.";

  private QuarkusProperties() {}

  /** Returns the properties in force; {@code catalog} knows what variables stand for. */
  static Map<String, String> of(SmallRyeConfig config, PropertyCatalog catalog) {
    Map<String, String> variables = variables(config);
    MergedProperties.warnOfUnknown(variables, catalog);
    Set<String> fromVariables = catalog.environment(variables).keySet();
    Set<String> names = new TreeSet<>(fromVariables);
    for (String name : config.getPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        names.add(name);
      }
    }
    // By the strength of their sources: a list may be written in one, and replaced in another.
    Map<Integer, Map<String, String>> weakestFirst = new TreeMap<>();
    for (String name : names) {
      ConfigValue found = config.getConfigValue(name);
      String value = found.getValue();
      if (value != null && (!isVariable(found) || fromVariables.contains(name))) {
        weakestFirst
            .computeIfAbsent(found.getConfigSourceOrdinal(), absent -> new LinkedHashMap<>())
            .put(name, value);
      }
    }
    MergedProperties layers = new MergedProperties(catalog);
    for (Map<String, String> layer : weakestFirst.values()) {
      // The source of application.yaml has a list twice: as name[0], and joined with commas.
      Set<String> all = Set.copyOf(layer.keySet());
      layer.keySet().removeIf(name -> all.contains(name + "[0]"));
      layers.add(layer);
    }
    return layers.merged();
  }

  private static boolean isVariable(ConfigValue value) {
    String source = value.getConfigSourceName();
    return source != null && source.startsWith(EnvConfigSource.NAME);
  }

  private static Map<String, String> variables(SmallRyeConfig config) {
    Map<String, String> variables = new HashMap<>();
    for (ConfigSource source : config.getConfigSources()) {
      if (source instanceof EnvConfigSource) {
        variables.putAll(source.getProperties());
      }
    }
    return variables;
  }

  /**
   * Replaces {@code ${name}} and {@code ${name:default}} in a text.
   *
   * @throws IllegalArgumentException if a name has no value
   */
  static String resolve(SmallRyeConfig config, String text) {
    return Expression.compile(text, Expression.Flag.NO_TRIM)
        .evaluate(
            (context, into) -> {
              Optional<String> value = config.getOptionalValue(context.getKey(), String.class);
              if (value.isPresent()) {
                into.append(value.get());
              } else if (context.hasDefault()) {
                context.expandDefault();
              } else {
                throw new IllegalArgumentException(
                    "\"" + text + "\": the property " + context.getKey() + " has no value");
              }
            });
  }
}
