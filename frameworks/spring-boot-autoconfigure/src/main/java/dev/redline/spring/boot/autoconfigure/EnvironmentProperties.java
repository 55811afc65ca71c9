package dev.redline.spring.boot.autoconfigure;

import dev.redline.assembly.MergedProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Collects the {@code rl.*} properties of a Spring environment into one flat map, in the order of
 * its sources.
 *
 * <p>Spring's own view of environment variables is not used: it cannot tell {@code
 * RL_STORAGE_MAX_KEYS} from {@code rl.storage.max.keys}.
 */
final class EnvironmentProperties {
  private static final String PREFIX = "rl.";

  private EnvironmentProperties() {}

  /** Returns the properties in force; {@code catalog} knows what variables stand for. */
  static Map<String, String> of(ConfigurableEnvironment environment, PropertyCatalog catalog) {
    List<PropertySource<?>> weakestFirst = new ArrayList<>();
    environment.getPropertySources().forEach(weakestFirst::add);
    Collections.reverse(weakestFirst);
    MergedProperties layers = new MergedProperties(catalog);
    for (PropertySource<?> source : weakestFirst) {
      if (source instanceof SystemEnvironmentPropertySource variables) {
        layers.addVariables(variables(variables));
      } else if (source instanceof EnumerablePropertySource<?> enumerable) {
        layers.add(properties(enumerable, environment));
      }
    }
    return layers.merged();
  }

  /** Logs each {@code RL_*} variable that stands for no property. */
  static void warnOfUnknownVariables(ConfigurableEnvironment environment, PropertyCatalog catalog) {
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof SystemEnvironmentPropertySource variables) {
        MergedProperties.warnOfUnknown(variables(variables), catalog);
      }
    }
  }

  private static Map<String, String> variables(SystemEnvironmentPropertySource source) {
    Map<String, String> variables = new LinkedHashMap<>();
    source.getSource().forEach((name, value) -> variables.put(name, String.valueOf(value)));
    return variables;
  }

  private static Map<String, String> properties(
      EnumerablePropertySource<?> source, ConfigurableEnvironment environment) {
    Map<String, String> properties = new LinkedHashMap<>();
    for (@Nullable String name : source.getPropertyNames()) {
      // An empty YAML document is a source with one property that has no name.
      Object value = name == null ? null : source.getProperty(name);
      if (name != null && name.startsWith(PREFIX) && value != null) {
        properties.put(name, environment.resolvePlaceholders(value.toString()));
      }
    }
    return properties;
  }
}
