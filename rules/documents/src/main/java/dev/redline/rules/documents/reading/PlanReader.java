package dev.redline.rules.documents.reading;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.problem.LocatedPlan;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.reading.LimitsReader.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads one plan. */
final class PlanReader {
  private static final List<RateLimitBand> ANY_BAND =
      List.of(RateLimitBand.of(1, 1, Duration.ofSeconds(1)));

  private PlanReader() {}

  /** Returns the plan, or nothing after reporting every mistake in it. */
  static Optional<LocatedPlan> read(
      ProblemLocation location, Mapping mapping, Placeholders placeholders) {
    MappingReader fields = new MappingReader(location, mapping, FieldNames.PLAN, placeholders);
    StringBuilder id = new StringBuilder();
    // The model checks the id even where the bands turn out to be wrong.
    fields.text("id", text -> id.append(new RateLimitPlan(text, ANY_BAND).id()));
    if (!fields.has("id") && !fields.hasUnknownFields()) {
      fields.missing("id", "id is required");
    }
    Limits limits = new LimitsReader(fields).read();
    if (!fields.hasValue("limit") && !fields.hasValue("bands") && !fields.hasUnknownFields()) {
      fields.missing("limit", "needs at least one of limit, bands");
    }
    if (!fields.isValid()) {
      return Optional.empty();
    }
    try {
      RateLimitPlan plan = new RateLimitPlan(id.toString(), limits.bands());
      return Optional.of(new LocatedPlan(plan, location, limits.lines()));
    } catch (IllegalArgumentException e) {
      location.error(fields.line(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
