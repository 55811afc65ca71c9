package dev.redline.rules.documents.reading;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.syntax.LimitSyntax;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what a rule and a plan have in common: {@code limit}, {@code bands}, {@code algorithm}. */
final class LimitsReader {
  /**
   * Bands in the order written.
   *
   * @param bands the bands; incomplete where something was wrong
   * @param lines the line of each
   */
  record Limits(List<RateLimitBand> bands, List<Integer> lines) {}

  private final MappingReader fields;
  private final List<RateLimitBand> bands = new ArrayList<>();
  private final List<Integer> lines = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();

  LimitsReader(MappingReader fields) {
    this.fields = fields;
  }

  /** Reads all limits; mistakes are reported. */
  Limits read() {
    Algorithm algorithm = BandReader.algorithm(fields, Algorithm.TOKEN_BUCKET);
    if (fields.hasValue("limit")) {
      limit(algorithm);
    }
    Optional<List<Node>> items = fields.list("bands", "a list of bands");
    if (items.isPresent()) {
      for (int i = 0; i < items.get().size(); i++) {
        band(i + 1, items.get().get(i), algorithm);
      }
    }
    return new Limits(bands, lines);
  }

  private void limit(@Nullable Algorithm algorithm) {
    fields.textsWithLines(
        "limit",
        (text, line) -> {
          // An invalid algorithm was reported already; the text can still be checked.
          RateLimitBand band =
              LimitSyntax.parse(text, algorithm == null ? Algorithm.TOKEN_BUCKET : algorithm);
          lines.add(line);
          bands.add(band);
        });
  }

  private void band(int index, Node item, @Nullable Algorithm algorithm) {
    if (!(item instanceof Mapping mapping)) {
      fields.markInvalid("bands");
      fields
          .location()
          .error(
              item.line(),
              "bands",
              item.describe(),
              "bands: band " + index + " must be a mapping, was '" + item.describe() + "'");
      return;
    }
    Optional<RateLimitBand> band =
        new BandReader(fields.location(), index, mapping, fields.placeholders(), algorithm).read();
    if (band.isEmpty()) {
      fields.markInvalid("bands");
      return;
    }
    band.get()
        .label()
        .ifPresent(
            label -> {
              Integer first = labels.putIfAbsent(label, item.line());
              if (first != null) {
                fields.markInvalid("bands");
                fields
                    .location()
                    .error(
                        item.line(),
                        "label",
                        label,
                        "label '" + label + "' is already used at line " + first);
              }
            });
    bands.add(band.get());
    lines.add(item.line());
  }
}
