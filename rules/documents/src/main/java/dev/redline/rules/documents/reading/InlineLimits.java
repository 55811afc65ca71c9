package dev.redline.rules.documents.reading;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.problem.Findings;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.reading.LimitsReader.Limits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Limits that come with a request instead of a rule, in the same words as in a rule. */
public final class InlineLimits {
  /** How many limits one request may bring: a store spends time on each. */
  private static final int MAX_LIMITS = 64;

  private InlineLimits() {}

  /**
   * Returns the bands that {@code limit} and {@code bands} stand for, all of which apply; those
   * without a label have none.
   *
   * @param limit a text such as {@code 10/s burst 5} or a list of them, or null
   * @param bands a list of maps, as parsed from JSON, or null
   * @throws IllegalArgumentException naming every field that is wrong, or if there are more than 64
   */
  public static List<RateLimitBand> parse(@Nullable Object limit, @Nullable Object bands) {
    return parse(limit, bands, null);
  }

  /**
   * Returns the bands that {@code limit} and {@code bands} stand for.
   *
   * @param limit a text such as {@code 10/s burst 5} or a list of them, or null
   * @param bands a list of maps, as parsed from JSON, or null
   * @param algorithm the name of the algorithm of bands that name none, or null
   * @throws IllegalArgumentException naming every field that is wrong, or if there are more than 64
   */
  public static List<RateLimitBand> parse(
      @Nullable Object limit, @Nullable Object bands, @Nullable Object algorithm) {
    requireAtMostMaximum(limit, bands);
    List<Entry> entries = new ArrayList<>();
    add(entries, "limit", limit);
    add(entries, "bands", bands);
    add(entries, "algorithm", algorithm);
    Findings findings = new Findings();
    ProblemLocation location = ProblemLocation.document(findings, "");
    MappingReader fields =
        new MappingReader(
            location, new Mapping(entries, 1), FieldNames.PLAN, Placeholders.rejected());
    if (!fields.hasValue("limit") && !fields.hasValue("bands")) {
      throw new IllegalArgumentException("limit or bands is required");
    }
    Limits limits = new LimitsReader(fields).read();
    List<RuleProblem> errors = findings.errors(List.of());
    if (!errors.isEmpty()) {
      throw new IllegalArgumentException(
          errors.stream().map(InlineLimits::text).collect(Collectors.joining("; ")));
    }
    return List.copyOf(limits.bands());
  }

  private static void requireAtMostMaximum(@Nullable Object limit, @Nullable Object bands) {
    int limits = size(limit);
    int given = limits + size(bands);
    if (given > MAX_LIMITS) {
      String field = limits == given ? "limit" : limits == 0 ? "bands" : "limit and bands";
      throw new IllegalArgumentException(
          field + " must have at most " + MAX_LIMITS + " limits, had " + given);
    }
  }

  private static int size(@Nullable Object limits) {
    if (limits == null) {
      return 0;
    }
    return limits instanceof Collection<?> several ? several.size() : 1;
  }

  private static String text(RuleProblem problem) {
    String message = problem.message();
    boolean ofBand = message.startsWith("band ") || message.startsWith("label ");
    return (ofBand ? "bands: " : "")
        + message
        + problem.suggestion().map(meant -> "; did you mean '" + meant + "'?").orElse("");
  }

  private static void add(List<Entry> entries, String name, @Nullable Object value) {
    if (value != null) {
      entries.add(new Entry(new Scalar(name, true, 1), node(value)));
    }
  }

  private static Node node(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      List<Entry> entries = new ArrayList<>();
      map.forEach(
          (name, item) ->
              entries.add(new Entry(new Scalar(String.valueOf(name), false, 1), node(item))));
      return new Mapping(entries, 1);
    }
    if (value instanceof Iterable<?> items) {
      List<Node> nodes = new ArrayList<>();
      items.forEach(item -> nodes.add(node(item)));
      return new Sequence(nodes, 1);
    }
    boolean plain = value == null || value instanceof Number || value instanceof Boolean;
    return new Scalar(String.valueOf(value), plain, 1);
  }
}
