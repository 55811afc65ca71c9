package dev.redline.core.limit;

import dev.redline.core.internal.limit.AllowedValues;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One limit: how many, and how fast they come back.
 *
 * <p>A token bucket holds {@code capacity} tokens and regains {@code refillTokens} per {@code
 * refillPeriod}; a window admits {@code capacity} per {@code refillPeriod}. Immutable; every
 * instance is within the supported range, so arithmetic on it cannot overflow.
 */
public final class RateLimitBand {
  /** The largest capacity, refill and cost. */
  public static final long MAX_TOKENS = 1_000_000_000_000L;

  /** The shortest period. */
  public static final Duration MIN_PERIOD = Duration.ofMillis(1);

  /** The longest period. */
  public static final Duration MAX_PERIOD = Duration.ofDays(366);

  /** The longest time from empty to full. */
  public static final Duration MAX_TIME_TO_FULL = Duration.ofDays(36_525);

  /** How a band counts. */
  public enum Algorithm {
    /** Tokens refill over time up to the capacity; bursts up to the capacity are allowed. */
    TOKEN_BUCKET,
    /** Current window plus a weighted share of the previous one; constant state per key. */
    SLIDING_WINDOW,
    /** A counter per epoch-aligned window; for quotas. */
    FIXED_WINDOW
  }

  /** When the tokens of a token bucket come back. */
  public enum Refill {
    /** Evenly over the period, with no remainder lost. */
    CONTINUOUS,
    /** All at once, at the end of each whole period since the bucket last left full. */
    INTERVAL
  }

  private final Optional<String> label;
  private final Algorithm algorithm;
  private final Refill refill;
  private final long capacity;
  private final long refillTokens;
  private final Duration period;

  private RateLimitBand(Builder builder, Duration period) {
    this.label = builder.label;
    this.algorithm = builder.algorithm;
    this.refill = builder.refill;
    this.capacity = builder.capacity;
    this.refillTokens = builder.refillTokens == 0 ? builder.capacity : builder.refillTokens;
    this.period = period;
  }

  /** Returns a token bucket of {@code capacity} that regains {@code refillTokens} per period. */
  public static RateLimitBand of(long capacity, long refillTokens, Duration refillPeriod) {
    return builder().capacity(capacity).refillTokens(refillTokens).period(refillPeriod).build();
  }

  /** Returns a sliding window that admits {@code capacity} per {@code window}. */
  public static RateLimitBand slidingWindow(long capacity, Duration window) {
    return builder().algorithm(Algorithm.SLIDING_WINDOW).capacity(capacity).period(window).build();
  }

  /** Returns a fixed, epoch-aligned window that admits {@code capacity} per {@code window}. */
  public static RateLimitBand fixedWindow(long capacity, Duration window) {
    return builder().algorithm(Algorithm.FIXED_WINDOW).capacity(capacity).period(window).build();
  }

  /**
   * Returns the token bucket that {@code N/PERIOD [burst B]} stands for, such as {@code 10/s burst
   * 20}: capacity N+B, N tokens back per period, no label. PERIOD is {@code s}, {@code m}, {@code
   * h}, {@code d} or a duration such as {@code 10s}.
   *
   * @throws IllegalArgumentException if the text has another form or is out of range
   */
  public static RateLimitBand parse(String text) {
    return parse(text, Algorithm.TOKEN_BUCKET);
  }

  /** Returns the band of an algorithm that the text stands for; a window has no burst. */
  public static RateLimitBand parse(String text, Algorithm algorithm) {
    return LimitParser.parse(text, algorithm);
  }

  /** Returns a builder; {@code capacity} and {@code period} are required. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the label as given; a band without one is named by its rule or plan. */
  public Optional<String> label() {
    return label;
  }

  /** Returns this band under another label. */
  public RateLimitBand withLabel(String newLabel) {
    return toBuilder().label(newLabel).build();
  }

  /**
   * Returns the bands of one rule or plan, each with a label: those without one are named after
   * their owner, and numbered when there are several.
   *
   * @throws IllegalArgumentException if the owner is no valid id, or two bands have the same label
   */
  public static List<RateLimitBand> labelled(String owner, List<RateLimitBand> bands) {
    return BandLabels.complete(AllowedValues.id("id", owner), bands);
  }

  /** Returns how the band counts. */
  public Algorithm algorithm() {
    return algorithm;
  }

  /** Returns when tokens come back; of no meaning for windows. */
  public Refill refill() {
    return refill;
  }

  /** Returns the most that can pass at once. */
  public long capacity() {
    return capacity;
  }

  /** Returns how many tokens come back per period; the capacity for windows. */
  public long refillTokens() {
    return refillTokens;
  }

  /** Returns the refill period or the window. */
  public Duration period() {
    return period;
  }

  /** Returns the refill period or window in microseconds. */
  public long periodMicros() {
    return period.toNanos() / 1000;
  }

  private Builder toBuilder() {
    Builder builder = new Builder();
    builder.label = label;
    builder.algorithm = algorithm;
    builder.refill = refill;
    builder.capacity = capacity;
    builder.refillTokens = refillTokens;
    builder.period = Optional.of(period);
    return builder;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof RateLimitBand other
        && label.equals(other.label)
        && algorithm == other.algorithm
        && refill == other.refill
        && capacity == other.capacity
        && refillTokens == other.refillTokens
        && period.equals(other.period);
  }

  @Override
  public int hashCode() {
    return Objects.hash(label, algorithm, refill, capacity, refillTokens, period);
  }

  @Override
  public String toString() {
    String name = label.orElse("band");
    return algorithm == Algorithm.TOKEN_BUCKET
        ? name + "[" + capacity + ", " + refillTokens + " per " + period + " " + refill + "]"
        : name + "[" + capacity + " per " + period + " " + algorithm + "]";
  }

  /** Builds a band; each setter rejects a value out of range and names it. */
  public static final class Builder {
    private Optional<String> label = Optional.empty();
    private Algorithm algorithm = Algorithm.TOKEN_BUCKET;
    private Refill refill = Refill.CONTINUOUS;
    private long capacity;
    private long refillTokens;
    private Optional<Duration> period = Optional.empty();

    private Builder() {}

    /** Names the band; the same characters as rule ids. */
    public Builder label(String value) {
      label = Optional.of(AllowedValues.id("label", value));
      return this;
    }

    /** Sets how the band counts; {@link Algorithm#TOKEN_BUCKET} unless said. */
    public Builder algorithm(Algorithm value) {
      algorithm = Objects.requireNonNull(value, "algorithm");
      return this;
    }

    /** Sets when tokens come back; {@link Refill#CONTINUOUS} unless said. */
    public Builder refill(Refill value) {
      refill = Objects.requireNonNull(value, "refill");
      return this;
    }

    /** Sets the capacity, 1 to {@link #MAX_TOKENS}. */
    public Builder capacity(long value) {
      capacity = AllowedValues.between("capacity", value, 1, MAX_TOKENS);
      return this;
    }

    /** Sets how many tokens come back per period; the capacity unless said. */
    public Builder refillTokens(long value) {
      refillTokens = AllowedValues.between("refillTokens", value, 1, MAX_TOKENS);
      return this;
    }

    /** Sets the refill period or window: whole microseconds, 1 ms to 366 days. */
    public Builder period(Duration value) {
      if (value.compareTo(MIN_PERIOD) < 0 || value.compareTo(MAX_PERIOD) > 0) {
        throw new IllegalArgumentException("period must be between 1ms and 366d, was " + value);
      }
      if (value.toNanos() % 1000 != 0) {
        throw new IllegalArgumentException("period must be whole microseconds, was " + value);
      }
      period = Optional.of(value);
      return this;
    }

    /** Builds the band. */
    public RateLimitBand build() {
      if (capacity == 0) {
        throw new IllegalArgumentException("capacity is required");
      }
      RateLimitBand band =
          new RateLimitBand(
              this, period.orElseThrow(() -> new IllegalArgumentException("period is required")));
      if (algorithm != Algorithm.TOKEN_BUCKET) {
        if (refillTokens != 0 && refillTokens != capacity) {
          throw new IllegalArgumentException(
              "refillTokens has no meaning for " + algorithm + "; leave it out");
        }
        return band;
      }
      BigInteger timeToFull =
          BigInteger.valueOf(capacity)
              .multiply(BigInteger.valueOf(band.periodMicros()))
              .divide(BigInteger.valueOf(band.refillTokens));
      if (timeToFull.compareTo(BigInteger.valueOf(MAX_TIME_TO_FULL.toSeconds() * 1_000_000L)) > 0) {
        throw new IllegalArgumentException(
            "time from empty to full must be at most 100 years; lower capacity "
                + capacity
                + " or refill faster than "
                + band.refillTokens
                + " per "
                + band.period);
      }
      return band;
    }
  }
}
