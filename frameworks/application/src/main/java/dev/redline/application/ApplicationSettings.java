package dev.redline.application;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.InlineRules;
import dev.redline.assembly.Plugins;
import dev.redline.binding.web.FilterShares;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.PropertyReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All {@code rl.*} properties of an application, typed and checked.
 *
 * @param assembly those of engine, store and rules
 * @param jwt which JWTs name users; absent: none
 * @param filters those of web filters, by name; {@link WebFilterSettings#DEFAULT} is always there
 * @param annotations those of {@code @RateLimit}
 */
public record ApplicationSettings(
    AssemblySettings assembly,
    Optional<JwtSettings> jwt,
    Map<String, WebFilterSettings> filters,
    AnnotationSettings annotations) {
  /** Copies the map, which keeps its order. */
  public ApplicationSettings {
    filters = new LinkedHashMap<>(filters);
  }

  /** Returns what every application with an engine has. */
  public Settings core() {
    return assembly.core();
  }

  /** Returns what decides the requests of a filter. */
  public RequestLimiter limiterOf(String filter, ChosenHandler handler) {
    return new RequestLimiter(
        handler.handler(),
        filters.getOrDefault(filter, WebFilterSettings.NONE).ruleSetId(),
        core().missingRules(),
        sharesOf(filter));
  }

  /**
   * Returns what a filter leaves to the others: the one without a name leaves to those with one
   * what they decide.
   */
  private FilterShares sharesOf(String filter) {
    if (!filter.equals(WebFilterSettings.DEFAULT)) {
      return FilterShares.ALONE;
    }
    List<FilterShares.Other> named = new ArrayList<>();
    filters.forEach(
        (name, settings) -> {
          if (!name.equals(filter) && settings.enabled()) {
            named.add(new FilterShares.Other(settings.paths(), effectiveSet(settings)));
          }
        });
    WebFilterSettings own = filters.getOrDefault(filter, WebFilterSettings.NONE);
    return new FilterShares(effectiveSet(own), named);
  }

  private Optional<String> effectiveSet(WebFilterSettings filter) {
    return filter.ruleSetId().or(() -> core().defaultRuleSetId());
  }

  /**
   * The properties of {@code @RateLimit} on methods.
   *
   * @param enabled whether annotated methods are limited
   * @param order the place among the interceptors of a method
   */
  public record AnnotationSettings(boolean enabled, int order) {
    static AnnotationSettings read(PropertyReader from, DefaultOrder order) {
      return new AnnotationSettings(
          from.property("rl.annotations.enabled", "whether `@RateLimit` limits methods").bool(true),
          from.property("rl.annotations.order", order.description())
              .integer(order.value(), Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
  }

  /**
   * Reads the properties of applications of one framework.
   *
   * @param filters where its filters are unless set
   * @param annotations where {@code @RateLimit} is among the interceptors of a method unless set
   */
  public record Reader(DefaultOrder filters, DefaultOrder annotations) {
    /** Returns the properties that an application with some plugins understands. */
    public PropertyCatalog catalog(Plugins plugins) {
      return new PropertyCatalog(
          from -> read(from, plugins, HostProfile.application(), InlineRules.NONE));
    }

    /**
     * Reads properties given by their names.
     *
     * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
     */
    public ApplicationSettings parse(
        Map<String, String> properties, Plugins plugins, HostProfile host) {
      InlineRules inline = InlineRules.of(properties);
      FlatProperties from = new FlatProperties(inline.otherProperties());
      ApplicationSettings settings = read(from, plugins, host, inline);
      from.finish();
      return settings;
    }

    /** Returns the order of annotations alone, from properties that were not checked yet. */
    public int annotationOrder(Map<String, String> properties) {
      return AnnotationSettings.read(
              new FlatProperties(InlineRules.of(properties).otherProperties()), annotations)
          .order();
    }

    private ApplicationSettings read(
        PropertyReader from, Plugins plugins, HostProfile host, InlineRules inline) {
      return new ApplicationSettings(
          AssemblySettings.read(from, plugins, host, inline),
          UserVerification.read(from),
          WebFilterSettings.read(from, filters),
          AnnotationSettings.read(from, annotations));
    }
  }
}
