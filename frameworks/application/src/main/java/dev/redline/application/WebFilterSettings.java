package dev.redline.application;

import dev.redline.binding.web.FilterPaths;
import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.PropertyReader.Property;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The properties of one web filter.
 *
 * @param enabled whether it limits requests
 * @param order its place among the filters of the application
 * @param ruleSetId the rule set it applies; if absent the default
 * @param paths the requests that it limits
 */
public record WebFilterSettings(
    boolean enabled, int order, Optional<String> ruleSetId, FilterPaths paths) {
  /** The name of the filter of {@code rl.filter.*}; the others are {@code rl.filters.<name>.*}. */
  public static final String DEFAULT = "";

  /** A filter that limits nothing. */
  public static final WebFilterSettings NONE =
      new WebFilterSettings(false, 0, Optional.empty(), FilterPaths.of(List.of(), List.of()));

  /** The prefix of filters by name. */
  public static final String NAMED = "rl.filters.";

  private static final String ENABLED = "whether the filter limits requests";
  private static final String RULE_SET = "the rule set of the filter";
  private static final String INCLUDE =
      "the paths that the filter limits, a list; a last `/*` covers any depth";
  private static final String EXCLUDE = "the paths that the filter does not limit, a list";

  /**
   * Reads all filters by their names.
   *
   * @param order where filters are unless set
   */
  static Map<String, WebFilterSettings> read(PropertyReader from, DefaultOrder order) {
    Map<String, WebFilterSettings> filters = new LinkedHashMap<>();
    filters.put(DEFAULT, read(from, "rl.filter.", order, field -> standard(from, order, field)));
    String named = NAMED + "<name>.";
    from.describe(named + "enabled", "true", "further filters by name: " + ENABLED);
    from.describe(named + "order", Integer.toString(order.value()), order.description());
    from.describe(named + "rule-set-id", "`rl.default-rule-set-id`", RULE_SET);
    from.describe(named + "include-patterns", "every path", INCLUDE);
    from.describe(named + "exclude-patterns", "", EXCLUDE);
    for (String name : from.namesUnder(NAMED)) {
      filters.put(
          name, read(from, NAMED + name + ".", order, field -> from.chosen(named + field, name)));
    }
    return filters;
  }

  private static Property standard(PropertyReader from, DefaultOrder order, String field) {
    String name = "rl.filter." + field;
    return switch (field) {
      case "enabled" -> from.property(name, ENABLED);
      case "order" -> from.property(name, order.description());
      case "rule-set-id" -> from.property(name, RULE_SET).unlessSet("`rl.default-rule-set-id`");
      case "include-patterns" -> from.property(name, INCLUDE).unlessSet("every path");
      case "exclude-patterns" -> from.property(name, EXCLUDE);
      default -> throw new IllegalArgumentException(field);
    };
  }

  private static WebFilterSettings read(
      PropertyReader from,
      String prefix,
      DefaultOrder defaultOrder,
      Function<String, Property> property) {
    boolean enabled = property.apply("enabled").bool(true);
    int order =
        property.apply("order").integer(defaultOrder.value(), Integer.MIN_VALUE, Integer.MAX_VALUE);
    Optional<String> ruleSetId =
        property
            .apply("rule-set-id")
            .parsed("use " + AllowedValues.IDS, value -> AllowedValues.id("rule set", value));
    List<String> include =
        patterns(from, prefix + "include-patterns", property.apply("include-patterns"));
    List<String> exclude =
        patterns(from, prefix + "exclude-patterns", property.apply("exclude-patterns"));
    return new WebFilterSettings(enabled, order, ruleSetId, FilterPaths.of(include, exclude));
  }

  private static List<String> patterns(PropertyReader from, String name, Property property) {
    List<String> patterns = new ArrayList<>();
    for (String pattern : property.words()) {
      try {
        FilterPaths.of(List.of(pattern), List.of());
        patterns.add(pattern);
      } catch (IllegalArgumentException e) {
        from.problem(name, pattern, String.valueOf(e.getMessage()));
      }
    }
    return patterns;
  }
}
