package dev.redline.core.internal.rule;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What applies under a rule: its own bands and those of its plans. */
public final class PlanBands {
  private PlanBands() {}

  /** Joins a rule's own bands with those of its plans; equal labels become {@code plan.label}. */
  public static List<RateLimitBand> join(List<RateLimitBand> own, List<RateLimitPlan> plans) {
    Map<String, Integer> uses = new HashMap<>();
    own.forEach(band -> uses.merge(band.label().orElseThrow(), 1, Integer::sum));
    for (RateLimitPlan plan : plans) {
      plan.bands().forEach(band -> uses.merge(band.label().orElseThrow(), 1, Integer::sum));
    }
    List<RateLimitBand> all = new ArrayList<>(own);
    for (RateLimitPlan plan : plans) {
      for (RateLimitBand band : plan.bands()) {
        String label = band.label().orElseThrow();
        all.add(
            uses.getOrDefault(label, 0) > 1
                ? band.withLabel(AllowedValues.clipped(plan.id() + "." + label))
                : band);
      }
    }
    return List.copyOf(all);
  }
}
