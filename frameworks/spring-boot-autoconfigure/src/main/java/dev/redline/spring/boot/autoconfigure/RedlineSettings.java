package dev.redline.spring.boot.autoconfigure;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.InlineRules;
import dev.redline.assembly.Plugins;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.PropertyReader;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All {@code rl.*} properties of a Spring Boot application, typed and checked.
 *
 * @param assembly those of engine, store and rules
 * @param filters those of web filters, by name; {@link WebFilterSettings#DEFAULT} is always there
 * @param annotations those of {@code @RateLimit}
 */
public record RedlineSettings(
    AssemblySettings assembly,
    Map<String, WebFilterSettings> filters,
    AnnotationSettings annotations) {
  /**
   * The properties of {@code @RateLimit} on methods.
   *
   * @param enabled whether annotated methods are limited
   * @param order the place among the advisors of a method
   */
  public record AnnotationSettings(boolean enabled, int order) {
    /** After method security, whose advisors have 100 to 600; caches and transactions come last. */
    private static final int AFTER_SECURITY = 1000;

    static AnnotationSettings read(PropertyReader from) {
      return new AnnotationSettings(
          from.property("rl.annotations.enabled", "whether `@RateLimit` limits methods").bool(true),
          from.property(
                  "rl.annotations.order",
                  "the place of `@RateLimit` among the advisors of a method; by default after"
                      + " method security and before cache, transaction and retry")
              .integer(AFTER_SECURITY, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    /** Returns the order alone, from properties that were not checked yet. */
    static int order(Map<String, String> properties) {
      return read(new FlatProperties(InlineRules.of(properties).otherProperties())).order();
    }
  }

  /** Copies the map, which keeps its order. */
  public RedlineSettings {
    filters = new LinkedHashMap<>(filters);
  }

  /** Returns the properties that an application with some plugins understands. */
  static PropertyCatalog catalog(Plugins plugins) {
    return new PropertyCatalog(
        from -> read(from, plugins, HostProfile.application(), InlineRules.NONE));
  }

  /**
   * Reads properties given by their names.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
   */
  static RedlineSettings parse(Map<String, String> properties, Plugins plugins, HostProfile host) {
    InlineRules inline = InlineRules.of(properties);
    FlatProperties reader = new FlatProperties(inline.otherProperties());
    RedlineSettings settings = read(reader, plugins, host, inline);
    reader.finish();
    return settings;
  }

  private static RedlineSettings read(
      PropertyReader from, Plugins plugins, HostProfile host, InlineRules inline) {
    AssemblySettings assembly = AssemblySettings.read(from, plugins, host, inline);
    return new RedlineSettings(
        assembly, WebFilterSettings.read(from), AnnotationSettings.read(from));
  }

  /** Returns what every application with an engine has. */
  public Settings core() {
    return assembly.core();
  }
}
