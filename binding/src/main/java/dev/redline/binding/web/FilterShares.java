package dev.redline.binding.web;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the other filters of an application decide of a filter's requests. It leaves that to them,
 * so that a request is charged once under each rule, although several filters cover it. Immutable.
 *
 * @param ruleSetId the rule set of the filter; if absent, the rules of all sets
 * @param others the other filters
 */
public record FilterShares(Optional<String> ruleSetId, List<Other> others) {
  /** No other filter decides anything. */
  public static final FilterShares ALONE = new FilterShares(Optional.empty(), List.of());

  /**
   * Another filter.
   *
   * @param paths the requests that it limits
   * @param ruleSetId its rule set; if absent, the rules of all sets
   */
  public record Other(FilterPaths paths, Optional<String> ruleSetId) {}

  /** Copies the list. */
  public FilterShares {
    others = List.copyOf(others);
  }

  /**
   * Returns the rule sets that other filters decide for a path in normal form, or null if they
   * decide everything.
   */
  @Nullable Set<String> leftToOthers(String normalizedPath) {
    if (others.isEmpty()) {
      return Set.of();
    }
    Set<String> left = new HashSet<>();
    for (Other other : others) {
      if (other.paths.cover(normalizedPath)) {
        if (other.ruleSetId.isEmpty() || other.ruleSetId.equals(ruleSetId)) {
          return null;
        }
        left.add(other.ruleSetId.get());
      }
    }
    return ruleSetId.isPresent() ? Set.of() : left;
  }
}
