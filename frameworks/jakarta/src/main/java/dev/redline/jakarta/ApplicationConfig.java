package dev.redline.jakarta;

import dev.redline.assembly.MergedProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the application: MicroProfile Config if the server has it, else system
 * properties and environment variables.
 *
 * @param properties the {@code rl.*} properties by their names
 * @param lookup returns the value of any property, or null
 */
record ApplicationConfig(
    Map<String, String> properties, Function<String, @Nullable String> lookup) {
  private static final String PREFIX = "rl.";
  private static final String VARIABLE_PREFIX = "RL_";
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^:{}]+)(?::([^{}]*))?}");

  /** Reads the configuration; {@code catalog} knows what environment variables stand for. */
  static ApplicationConfig read(PropertyCatalog catalog) {
    ApplicationConfig ofServer = isMicroProfilePresent() ? MicroProfile.read(catalog) : null;
    return ofServer == null ? of(System.getProperties(), System.getenv(), catalog) : ofServer;
  }

  private static boolean isMicroProfilePresent() {
    try {
      Class.forName(
          "org.eclipse.microprofile.config.ConfigProvider",
          false,
          ApplicationConfig.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Returns the configuration by system properties, which win, and environment variables. */
  static ApplicationConfig of(
      Properties system, Map<String, String> variables, PropertyCatalog catalog) {
    MergedProperties layers = new MergedProperties(catalog);
    layers.addVariables(variables);
    Map<String, String> properties = new LinkedHashMap<>();
    for (String name : system.stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        properties.put(name, system.getProperty(name));
      }
    }
    layers.add(properties);
    return new ApplicationConfig(
        layers.merged(),
        name -> {
          String property = system.getProperty(name);
          return property == null ? variables.get(name) : property;
        });
  }

  /**
   * Replaces {@code ${name}} and {@code ${name:default}} in a text.
   *
   * @throws IllegalArgumentException if a property is not set and has no default
   */
  String resolve(String text) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(
            found -> {
              String value = lookup.apply(found.group(1));
              String resolved = value == null ? found.group(2) : value;
              if (resolved == null) {
                throw new IllegalArgumentException(
                    "\"" + text + "\": the property '" + found.group(1) + "' is not set");
              }
              return Matcher.quoteReplacement(resolved);
            });
  }

  /** Loaded only if the interfaces of MicroProfile Config are present. */
  private static final class MicroProfile {
    private static final Pattern NOT_IN_VARIABLES = Pattern.compile("[^A-Za-z0-9]");

    /** Returns the name of the environment variable that stands for a property. */
    private static String variable(String name) {
      return NOT_IN_VARIABLES.matcher(name).replaceAll("_").toUpperCase(Locale.ROOT);
    }

    /** Returns the configuration, or null if nothing implements the interfaces. */
    static @Nullable ApplicationConfig read(PropertyCatalog catalog) {
      Config config;
      try {
        config = ConfigProvider.getConfig();
      } catch (IllegalStateException e) {
        return null;
      }
      List<ConfigSource> weakestFirst = new ArrayList<>();
      config.getConfigSources().forEach(weakestFirst::add);
      weakestFirst.sort(Comparator.comparingInt(ConfigSource::getOrdinal));
      MergedProperties layers = new MergedProperties(catalog);
      for (ConfigSource source : weakestFirst) {
        Map<String, String> variables = new LinkedHashMap<>();
        Map<String, String> properties = new LinkedHashMap<>();
        for (String name : source.getPropertyNames()) {
          if (name.startsWith(VARIABLE_PREFIX)) {
            variables.put(name, String.valueOf(source.getValue(name)));
          } else if (name.startsWith(PREFIX)) {
            // By the whole configuration, which replaces expressions in values.
            config.getOptionalValue(name, String.class).ifPresent(v -> properties.put(name, v));
          }
        }
        // Of one source a variable wins. That also leaves out the names that implementations add to
        // the environment: what they guess that a variable stands for.
        properties.keySet().removeIf(name -> !variables.getOrDefault(variable(name), "").isEmpty());
        layers.add(properties);
        layers.addVariables(variables);
      }
      return new ApplicationConfig(
          layers.merged(), name -> config.getOptionalValue(name, String.class).orElse(null));
    }
  }
}
