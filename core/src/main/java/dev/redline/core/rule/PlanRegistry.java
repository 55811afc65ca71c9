package dev.redline.core.rule;

import java.util.List;
import java.util.Optional;

/** Knows plans by name. */
@FunctionalInterface
public interface PlanRegistry {
  /** Returns the plan, or nothing if there is none of that name. */
  Optional<RateLimitPlan> plan(String id);

  /**
   * Returns the plans of the given names, in their order.
   *
   * @throws IllegalArgumentException if one is unknown, naming it
   */
  default List<RateLimitPlan> getPlans(List<String> ids) {
    return ids.stream()
        .map(
            id ->
                plan(id)
                    .orElseThrow(() -> new IllegalArgumentException("unknown plan '" + id + "'")))
        .toList();
  }
}
