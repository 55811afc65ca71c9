package dev.redline.server.wiring;

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
import org.springframework.core.env.StandardEnvironment;

/**
 * Collects the {@code rl.*} properties of a Spring environment into one flat map: flag before
 * environment variable before file.
 *
 * <p>Spring's own relaxed view of environment variables is not used: it cannot tell {@code
 * RL_STORAGE_MAX_KEYS} from {@code rl.storage.max.keys}.
 */
final class PropertyLayers {
  private static final String PREFIX = "rl.";

  private PropertyLayers() {}

  /**
   * Returns the properties in force.
   *
   * @param catalog the properties that environment variables can stand for
   * @param variables the environment variables
   * @param flags what was said on the command line
   */
  static Map<String, String> merge(
      ConfigurableEnvironment environment,
      PropertyCatalog catalog,
      Map<String, String> variables,
      Map<String, String> flags) {
    List<PropertySource<?>> weakestFirst = new ArrayList<>();
    environment.getPropertySources().forEach(weakestFirst::add);
    Collections.reverse(weakestFirst);
    MergedProperties merged = new MergedProperties(catalog);
    for (PropertySource<?> source : weakestFirst) {
      if (source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
        merged.addVariables(variables);
      } else if (source instanceof EnumerablePropertySource<?> enumerable) {
        merged.add(properties(enumerable, environment));
      }
    }
    merged.add(flags);
    return merged.merged();
  }

  /** Returns the {@code rl.*} properties of one source, with placeholders replaced. */
  static Map<String, String> properties(
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
