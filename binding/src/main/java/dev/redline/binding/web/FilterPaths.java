package dev.redline.binding.web;

import dev.redline.core.internal.path.PathPattern;
import java.util.List;

/**
 * The paths that a filter limits. Patterns are those of rules, except that a last {@code /*} covers
 * any depth, as in the URL patterns of servlets. Immutable.
 */
public final class FilterPaths {
  private final List<PathPattern> included;
  private final List<PathPattern> excluded;

  private FilterPaths(List<PathPattern> included, List<PathPattern> excluded) {
    this.included = included;
    this.excluded = excluded;
  }

  /**
   * Returns the paths that match a pattern of the first list and none of the second; an empty first
   * list includes every path.
   *
   * @throws IllegalArgumentException if a text is no pattern, naming it
   */
  public static FilterPaths of(List<String> include, List<String> exclude) {
    return new FilterPaths(parse(include), parse(exclude));
  }

  private static List<PathPattern> parse(List<String> patterns) {
    return patterns.stream().map(FilterPaths::anyDepth).map(PathPattern::parse).toList();
  }

  private static String anyDepth(String pattern) {
    return pattern.endsWith("/*") ? pattern + "*" : pattern;
  }

  /** Returns whether the filter limits a path in normal form. */
  public boolean cover(String normalizedPath) {
    return (included.isEmpty() || anyMatches(included, normalizedPath))
        && !anyMatches(excluded, normalizedPath);
  }

  private static boolean anyMatches(List<PathPattern> patterns, String path) {
    for (PathPattern pattern : patterns) {
      if (pattern.matches(path)) {
        return true;
      }
    }
    return false;
  }
}
