package dev.redline.rules.documents.reading;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.parsing.ScalarType;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.internal.syntax.DurationSyntax;
import dev.redline.rules.documents.internal.syntax.EnumReader;
import dev.redline.rules.documents.internal.syntax.LimitSyntax;
import dev.redline.rules.documents.internal.syntax.RefillRate;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one band in the long form, in any of its spellings. */
final class BandReader {
  private static final EnumReader<Algorithm> ALGORITHMS = EnumReader.of(Algorithm.class);
  private static final EnumReader<Refill> REFILLS = EnumReader.of(Refill.class);
  private static final List<String> PERIODS =
      List.of("refillPeriod", "refillSeconds", "window", "windowMs", "refillTokensPerSecond");

  private final MappingReader fields;
  private final RateLimitBand.Builder band = RateLimitBand.builder();
  private @Nullable Algorithm algorithm;
  private @Nullable Long limit;
  private @Nullable Long burst;

  /**
   * Prepares to read a band.
   *
   * @param location the location of the rule or plan
   * @param index its position in the list, from 1
   * @param inherited the algorithm of the rule or plan, or null if it is invalid
   */
  BandReader(
      ProblemLocation location,
      int index,
      Mapping mapping,
      Placeholders placeholders,
      @Nullable Algorithm inherited) {
    this.fields =
        new MappingReader(
            location.within("band " + label(mapping).orElse(String.valueOf(index))),
            mapping,
            FieldNames.BAND,
            placeholders);
    this.algorithm = inherited;
  }

  private static Optional<String> label(Mapping mapping) {
    return mapping.entries().stream()
        .filter(entry -> entry.key().text().equals("label"))
        .filter(entry -> entry.value() instanceof Scalar s && s.type() != ScalarType.NULL)
        .map(entry -> "'" + entry.value().describe() + "'")
        .findFirst();
  }

  /** Reads the algorithm; returns null if the field is invalid. */
  static @Nullable Algorithm algorithm(MappingReader fields, @Nullable Algorithm inherited) {
    Algorithm[] read = {fields.has("algorithm") ? null : inherited};
    fields.word("algorithm", ALGORITHMS, value -> read[0] = value);
    return read[0];
  }

  /** Returns the band, or nothing after reporting every mistake in it. */
  Optional<RateLimitBand> read() {
    fields.text("label", band::label);
    algorithm = algorithm(fields, algorithm);
    if (algorithm != null) {
      band.algorithm(algorithm);
    }
    fields.word("refill", REFILLS, this::refill);
    if (isLimitText()) {
      return limitText();
    }
    fields.number("capacity", band::capacity);
    fields.number("limit", value -> limit = atLeast("limit", 1, value));
    fields.number("refillTokens", band::refillTokens);
    fields.number("burst", value -> burst = burst(value));
    period();
    size();
    return build();
  }

  private boolean isLimitText() {
    return fields.has("limit")
        && fields.field("limit").value() instanceof Scalar scalar
        && scalar.type() == ScalarType.TEXT
        && scalar.text().contains("/");
  }

  private Optional<RateLimitBand> limitText() {
    for (String other : FieldNames.BAND.spellings()) {
      boolean beside = List.of("label", "algorithm", "refill", "limit").contains(other);
      if (!beside && fields.has(other)) {
        fields.reject(other, "'" + other + "' cannot stand beside a limit such as 10/s");
      }
    }
    RateLimitBand[] read = new RateLimitBand[1];
    if (algorithm != null) {
      Algorithm known = algorithm;
      fields.text("limit", text -> read[0] = LimitSyntax.parse(text, known));
    }
    if (!fields.isValid() || algorithm == null) {
      return Optional.empty();
    }
    band.capacity(read[0].capacity()).period(read[0].period());
    if (read[0].algorithm() == Algorithm.TOKEN_BUCKET) {
      band.refillTokens(read[0].refillTokens());
    }
    return Optional.of(band.build());
  }

  private void refill(Refill value) {
    if (algorithm != null && algorithm != Algorithm.TOKEN_BUCKET) {
      throw new IllegalArgumentException(
          "refill has no meaning for " + algorithm + ", was '" + value + "'; leave it out");
    }
    band.refill(value);
  }

  private static long atLeast(String field, long least, long value) {
    if (value < least || value > RateLimitBand.MAX_TOKENS) {
      throw new IllegalArgumentException(
          field
              + " must be between "
              + least
              + " and "
              + RateLimitBand.MAX_TOKENS
              + ", was "
              + value);
    }
    return value;
  }

  private long burst(long value) {
    if (algorithm != null && algorithm != Algorithm.TOKEN_BUCKET) {
      throw new IllegalArgumentException(
          "burst has no meaning for " + algorithm + ", was " + value + "; leave it out");
    }
    return atLeast("burst", 0, value);
  }

  /** Reads the one field that sets the refill rate. */
  private void period() {
    fields.text("refillPeriod", text -> band.period(DurationSyntax.parse(text)));
    fields.text("window", text -> band.period(DurationSyntax.parse(text)));
    fields.decimal("refillSeconds", value -> band.period(duration(value, 6)));
    fields.decimal("windowMs", value -> band.period(duration(value, 3)));
    fields.decimal("refillTokensPerSecond", this::rate);
    List<String> given = PERIODS.stream().filter(fields::has).toList();
    if (given.size() > 1) {
      fields.reject(
          given.get(1),
          "'" + given.get(1) + "' and '" + given.get(0) + "' both say how fast; keep one");
    }
    if (given.isEmpty() && !fields.hasUnknownFields()) {
      boolean window = algorithm != null && algorithm != Algorithm.TOKEN_BUCKET;
      String name = window || fields.has("limit") ? "window" : "refillPeriod";
      fields.missing(name, name + " is required");
    }
    if (fields.has("refillTokensPerSecond") && fields.has("refillTokens")) {
      fields.reject(
          "refillTokens", "'refillTokens' cannot stand beside 'refillTokensPerSecond'; keep one");
    }
  }

  private static Duration duration(BigDecimal value, int decimalsToMicros) {
    if (value.signum() < 0 || value.compareTo(BigDecimal.valueOf(1, -15)) > 0) {
      throw new IllegalArgumentException("period must be between 1ms and 366d, was " + value);
    }
    BigDecimal micros = value.movePointRight(decimalsToMicros);
    if (micros.signum() != 0 && micros.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException("period must be whole microseconds, was " + value);
    }
    return Duration.of(micros.longValueExact(), ChronoUnit.MICROS);
  }

  private void rate(BigDecimal perSecond) {
    if (algorithm != null && algorithm != Algorithm.TOKEN_BUCKET) {
      throw new IllegalArgumentException(
          "refillTokensPerSecond has no meaning for " + algorithm + "; say window");
    }
    RefillRate rate = RefillRate.perSecond(perSecond);
    band.refillTokens(rate.tokens()).period(rate.period());
  }

  /** Checks that the capacity is given once, directly or as limit and burst. */
  private void size() {
    if (fields.has("capacity") && fields.has("limit")) {
      fields.reject("limit", "'limit' and 'capacity' both say how many; keep one");
    } else if (fields.has("limit") && fields.has("refillTokens")) {
      fields.reject("refillTokens", "'refillTokens' goes with 'capacity', not with 'limit'");
    } else if (fields.has("limit") && fields.has("refillTokensPerSecond")) {
      fields.reject("limit", "'refillTokensPerSecond' goes with 'capacity', not with 'limit'");
    } else if (fields.has("burst") && !fields.has("limit") && !fields.hasUnknownFields()) {
      fields.reject("burst", "'burst' goes with 'limit'; capacity already includes it");
    } else if (!fields.has("capacity") && !fields.has("limit") && !fields.hasUnknownFields()) {
      fields.missing("capacity", "capacity is required");
    }
    if (limit != null && fields.isValid("burst") && fields.isValid("limit")) {
      long extra = burst == null ? 0 : burst;
      try {
        band.capacity(limit + extra);
      } catch (IllegalArgumentException e) {
        fields.reject("limit", "limit and burst together: " + e.getMessage());
        return;
      }
      if (algorithm == Algorithm.TOKEN_BUCKET) {
        band.refillTokens(limit);
      }
    }
  }

  private Optional<RateLimitBand> build() {
    if (!fields.isValid() || algorithm == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(band.build());
    } catch (IllegalArgumentException e) {
      String about =
          String.valueOf(e.getMessage()).startsWith("refillTokens") ? "refillTokens" : "";
      String name = fields.has(about) ? about : fields.has("capacity") ? "capacity" : "limit";
      fields.reject(name, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
