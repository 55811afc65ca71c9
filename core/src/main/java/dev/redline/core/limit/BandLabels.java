package dev.redline.core.limit;

import dev.redline.core.internal.limit.AllowedValues;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
      labelled.add(band.label().isPresent() ? band : band.withLabel(AllowedValues.clipped(label)));
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
}
