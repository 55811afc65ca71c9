package dev.redline.core.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How bands get their names: one stands for its owner, several are numbered, none is doubled. */
final class BandLabels {
  private BandLabels() {}

  /** Labels the unlabelled bands {@code owner}, or {@code owner-1}… when there are several. */
  static List<RateLimitBand> complete(String owner, List<RateLimitBand> bands) {
    List<RateLimitBand> labelled = new ArrayList<>(bands.size());
    for (int i = 0; i < bands.size(); i++) {
      RateLimitBand band = bands.get(i);
      String label = bands.size() == 1 ? owner : owner + "-" + (i + 1);
      labelled.add(band.label().isPresent() ? band : band.withLabel(clip(label)));
    }
    Set<String> seen = new HashSet<>();
    for (RateLimitBand band : labelled) {
      if (!seen.add(band.label().orElseThrow())) {
        throw new IllegalArgumentException(
            "label '" + band.label().orElseThrow() + "' is used by two bands");
      }
    }
    return List.copyOf(labelled);
  }

  /** Joins a rule's own bands with those of its plans; equal labels become {@code plan.label}. */
  static List<RateLimitBand> join(List<RateLimitBand> own, List<RateLimitPlan> plans) {
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
            uses.getOrDefault(label, 0) > 1 ? band.withLabel(clip(plan.id() + "." + label)) : band);
      }
    }
    return List.copyOf(all);
  }

  private static String clip(String label) {
    return label.length() <= 128 ? label : label.substring(label.length() - 128);
  }
}
