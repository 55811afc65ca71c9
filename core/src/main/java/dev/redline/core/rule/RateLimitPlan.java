package dev.redline.core.rule;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.limit.RateLimitBand;
import java.util.List;
import java.util.Objects;

/**
 * A named list of bands, such as "gold" or "daily".
 *
 * @param id the plan's name, of the same characters as rule ids
 * @param bands at least one; every band has a label
 */
public record RateLimitPlan(String id, List<RateLimitBand> bands) {
  /** Checks the id and labels the bands that have no label by the plan. */
  public RateLimitPlan {
    AllowedValues.id("plan id", id);
    Objects.requireNonNull(bands, "bands");
    if (bands.isEmpty()) {
      throw new IllegalArgumentException("plan '" + id + "' needs at least one band");
    }
    bands = RateLimitBand.labelled(id, bands);
  }

  /** Returns a plan of the given bands. */
  public static RateLimitPlan of(String id, RateLimitBand... bands) {
    return new RateLimitPlan(id, List.of(bands));
  }
}
