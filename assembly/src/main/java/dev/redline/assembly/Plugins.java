package dev.redline.assembly;

import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.MetricsExporterFactory;
import dev.redline.core.spi.PluginFactory;
import dev.redline.core.spi.PluginFactory.Creator;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.StoreFactory;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The factories that a class loader finds, sorted by name.
 *
 * @param stores the kinds of store
 * @param sources the kinds of rule source
 * @param exporters the metrics exporters
 */
public record Plugins(
    List<StoreFactory> stores,
    List<RuleSourceFactory> sources,
    List<MetricsExporterFactory> exporters) {
  /** The artifacts of this project, by what they add. */
  private static final Map<String, String> STORE_ARTIFACTS =
      Map.of(
          "CAFFEINE", "redline-stores-caffeine",
          "REDIS", "redline-stores-redis",
          "HAZELCAST", "redline-stores-hazelcast",
          "JDBC", "redline-stores-jdbc");

  private static final Map<String, String> SOURCE_ARTIFACTS =
      Map.of(
          "REDIS", "redline-rules-redis",
          "MONGO", "redline-rules-mongo",
          "NACOS", "redline-rules-nacos",
          "CONSUL", "redline-rules-consul",
          "REMOTE_API", "redline-rules-remote");

  /**
   * Sorts and checks the factories.
   *
   * @throws InvalidSettingsException if two of a kind have the same name
   */
  public Plugins {
    stores = sorted(stores, "stores");
    sources = sorted(sources, "rule sources");
    exporters = sorted(exporters, "metrics exporters");
  }

  /**
   * Finds the factories with {@link ServiceLoader}.
   *
   * @throws InvalidSettingsException if one cannot be created, or two have the same name
   */
  public static Plugins load(ClassLoader loader) {
    return new Plugins(
        load(StoreFactory.class, loader),
        load(RuleSourceFactory.class, loader),
        load(MetricsExporterFactory.class, loader));
  }

  private static <F> List<F> load(Class<F> type, ClassLoader loader) {
    try {
      return ServiceLoader.load(type, loader).stream().map(ServiceLoader.Provider::get).toList();
    } catch (ServiceConfigurationError | LinkageError e) {
      String cause = e.getCause() == null ? "" : ": " + e.getCause();
      throw new InvalidSettingsException(
          List.of("a plugin cannot be loaded: " + e.getMessage() + cause));
    }
  }

  private static <F extends PluginFactory<?>> List<F> sorted(List<F> factories, String kind) {
    Map<String, F> byName = new TreeMap<>();
    for (F factory : factories) {
      F other = byName.put(fold(factory.name()), factory);
      if (other != null) {
        throw new InvalidSettingsException(
            List.of(
                "two "
                    + kind
                    + " are named "
                    + factory.name()
                    + ": "
                    + other.getClass().getName()
                    + " and "
                    + factory.getClass().getName()
                    + "; remove one of them"));
      }
    }
    return factories.stream().sorted(Comparator.comparing(PluginFactory::name)).toList();
  }

  /**
   * Has a factory read its properties.
   *
   * @throws InvalidSettingsException if it fails, as one that was compiled for another version does
   */
  static <T> Creator<T> read(PluginFactory<T> factory, PropertyReader from, boolean chosen) {
    try {
      return factory.read(from, chosen);
    } catch (RuntimeException | LinkageError e) {
      throw new InvalidSettingsException(
          List.of(
              "the plugin "
                  + factory.name()
                  + " ("
                  + factory.getClass().getName()
                  + ") failed to read its properties: "
                  + e));
    }
  }

  /** Returns the form in which all spellings of a name are equal. */
  static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  static Optional<String> storeArtifact(String name) {
    return artifact(STORE_ARTIFACTS, name);
  }

  static Optional<String> sourceArtifact(String name) {
    return artifact(SOURCE_ARTIFACTS, name);
  }

  private static Optional<String> artifact(Map<String, String> artifacts, String name) {
    return artifacts.entrySet().stream()
        .filter(entry -> fold(entry.getKey()).equals(fold(name)))
        .map(entry -> "dev.redline:" + entry.getValue())
        .findFirst();
  }

  /** Returns what is allowed instead of a name that is not available. */
  static String allowed(Optional<String> artifact, List<String> available) {
    return artifact
        .map(missing -> "add " + missing + " to the class path, or use one of ")
        .orElse("use one of ")
        .concat(available.stream().sorted().collect(Collectors.joining(", ")));
  }
}
