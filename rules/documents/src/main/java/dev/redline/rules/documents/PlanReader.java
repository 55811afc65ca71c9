package dev.redline.rules.documents;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.rules.documents.LimitsReader.Limits;
import dev.redline.rules.documents.Node.Mapping;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads one plan. */
final class PlanReader {
  /**
   * A plan with its places.
   *
   * @param plan the plan
   * @param place where problems with it are reported
   * @param line its line
   * @param bandLines the line of each of its bands
   */
  record ReadPlan(RateLimitPlan plan, ProblemLocation place, int line, List<Integer> bandLines) {}

  private static final List<RateLimitBand> ANY_BAND =
      List.of(RateLimitBand.of(1, 1, Duration.ofSeconds(1)));

  private PlanReader() {}

  /** Returns the plan, or nothing after reporting every mistake in it. */
  static Optional<ReadPlan> read(
      ProblemLocation place, Mapping mapping, Placeholders placeholders) {
    MappingReader fields = new MappingReader(place, mapping, FieldNames.PLAN, placeholders);
    StringBuilder id = new StringBuilder();
    // The model checks the id even where the bands turn out to be wrong.
    fields.text("id", text -> id.append(new RateLimitPlan(text, ANY_BAND).id()));
    if (!fields.has("id") && !fields.hasUnknownFields()) {
      fields.missing("id", "id is required");
    }
    Limits limits = new LimitsReader(fields).read();
    if (!fields.gives("limit") && !fields.gives("bands") && !fields.hasUnknownFields()) {
      fields.missing("limit", "needs at least one of limit, bands");
    }
    if (!fields.sound()) {
      return Optional.empty();
    }
    try {
      RateLimitPlan plan = new RateLimitPlan(id.toString(), limits.bands());
      return Optional.of(new ReadPlan(plan, place, fields.line(), limits.lines()));
    } catch (IllegalArgumentException e) {
      place.error(fields.line(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
