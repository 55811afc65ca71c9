package dev.redline.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The decision, and what there is to tell about it. What does not apply is absent.
 *
 * <p>Immutable. The numbers are those of one band: if allowed the one with the smallest share left,
 * if refused the one with the longest wait.
 */
public final class RateLimitResult {
  /** What the {@code …OrAbsent} methods return for a number that does not apply. */
  public static final long ABSENT = -1;

  private final Reason reason;
  private final @Nullable String ruleSetId;
  private final @Nullable String ruleId;
  private final @Nullable String plan;
  private final @Nullable String band;
  private final long limit;
  private final long remaining;
  private final long retryAfterMicros;
  private final long resetAtMicros;
  private final List<String> shadowDenied;
  private final boolean degraded;
  private final @Nullable BandSource bands;

  private RateLimitResult(Builder builder) {
    this.reason = builder.reason;
    this.ruleSetId = builder.ruleSetId;
    this.ruleId = builder.ruleId;
    this.plan = builder.plan;
    this.band = builder.band;
    this.limit = builder.limit;
    this.remaining = builder.remaining;
    this.retryAfterMicros = builder.retryAfterMicros;
    this.resetAtMicros = builder.resetAtMicros;
    this.shadowDenied = builder.shadowDenied;
    this.degraded = builder.degraded;
    this.bands = builder.bands;
  }

  /** Returns a result that tells nothing but its reason. */
  public static RateLimitResult of(Reason reason) {
    return builder(reason).build();
  }

  /** Returns a builder, for handlers that get their decisions elsewhere. */
  public static Builder builder(Reason reason) {
    return new Builder(reason);
  }

  /** Returns whether the request may go on. */
  public boolean allowed() {
    return reason.allowed();
  }

  /** Returns why. */
  public Reason reason() {
    return reason;
  }

  /** Returns the rule set of the rule that decided. */
  public Optional<String> ruleSetId() {
    return Optional.ofNullable(ruleSetId);
  }

  /** Returns the rule that decided. */
  public Optional<String> ruleId() {
    return Optional.ofNullable(ruleId);
  }

  /** Returns the plan that decided, where plans were asked for instead of rules. */
  public Optional<String> plan() {
    return Optional.ofNullable(plan);
  }

  /** Returns the label of the reported band. */
  public Optional<String> band() {
    return Optional.ofNullable(band);
  }

  /** Returns the capacity of the reported band. */
  public OptionalLong limit() {
    return present(limit);
  }

  /** Returns what is left of the reported band, rounded down, after this decision. */
  public OptionalLong remaining() {
    return present(remaining);
  }

  /** Returns how long to wait: whoever waits that long and is alone gets in. */
  public Optional<Duration> retryAfter() {
    return retryAfterMicros == ABSENT
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(retryAfterMicros * 1000));
  }

  /** Returns {@link #retryAfter} in whole milliseconds, rounded up. */
  public OptionalLong retryAfterMs() {
    return ceiledMillis(retryAfterMicros);
  }

  /** Returns when the reported band is full again if nobody takes more; a window: its end. */
  public Optional<Instant> resetAt() {
    return resetAtMicros == ABSENT ? Optional.empty() : Optional.of(instant(resetAtMicros));
  }

  /** Returns {@link #resetAt} in whole milliseconds since the epoch, rounded up. */
  public OptionalLong resetAtMs() {
    return ceiledMillis(resetAtMicros);
  }

  /** Returns the ids of the shadow rules that would have refused. */
  public List<String> shadowDenied() {
    return shadowDenied;
  }

  /** Returns whether another store than the configured one decided, or none. */
  public boolean degraded() {
    return degraded;
  }

  /** Returns all bands of the enforced rules that applied, in order of evaluation. */
  public List<BandStatus> bands() {
    return bands == null ? List.of() : bands.bands();
  }

  /** Returns the rule set, or null; {@link #ruleSetId} without a wrapper, for the hot path. */
  public @Nullable String ruleSetIdOrNull() {
    return ruleSetId;
  }

  /** Returns the rule, or null. */
  public @Nullable String ruleIdOrNull() {
    return ruleId;
  }

  /** Returns the plan, or null. */
  public @Nullable String planOrNull() {
    return plan;
  }

  /** Returns the label of the reported band, or null. */
  public @Nullable String bandOrNull() {
    return band;
  }

  /** Returns the capacity of the reported band, or {@link #ABSENT}. */
  public long limitOrAbsent() {
    return limit;
  }

  /** Returns what is left of the reported band, or {@link #ABSENT}. */
  public long remainingOrAbsent() {
    return remaining;
  }

  /** Returns how many microseconds to wait, or {@link #ABSENT}. */
  public long retryAfterMicrosOrAbsent() {
    return retryAfterMicros;
  }

  /** Returns how many milliseconds to wait, rounded up, or {@link #ABSENT}. */
  public long retryAfterMsOrAbsent() {
    return ceiledMillisOrAbsent(retryAfterMicros);
  }

  /** Returns the microsecond since the epoch of {@link #resetAt}, or {@link #ABSENT}. */
  public long resetAtMicrosOrAbsent() {
    return resetAtMicros;
  }

  /** Returns the millisecond since the epoch of {@link #resetAt}, or {@link #ABSENT}. */
  public long resetAtMsOrAbsent() {
    return ceiledMillisOrAbsent(resetAtMicros);
  }

  static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }

  private static OptionalLong present(long value) {
    return value == ABSENT ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static OptionalLong ceiledMillis(long micros) {
    return present(ceiledMillisOrAbsent(micros));
  }

  private static long ceiledMillisOrAbsent(long micros) {
    return micros == ABSENT ? ABSENT : (micros + 999) / 1000;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("RateLimitResult[").append(reason);
    ruleId().or(this::plan).ifPresent(id -> text.append(" ").append(id));
    if (limit != ABSENT) {
      text.append(" ").append(band).append(" ").append(remaining).append("/").append(limit);
    }
    retryAfter().ifPresent(wait -> text.append(" retry after ").append(wait));
    return text.append(']').toString();
  }

  /** Works out the bands when somebody asks. */
  @FunctionalInterface
  interface BandSource {
    List<BandStatus> bands();
  }

  /** Builds a result. */
  public static final class Builder {
    private final Reason reason;
    private @Nullable String ruleSetId;
    private @Nullable String ruleId;
    private @Nullable String plan;
    private @Nullable String band;
    private long limit = ABSENT;
    private long remaining = ABSENT;
    private long retryAfterMicros = ABSENT;
    private long resetAtMicros = ABSENT;
    private List<String> shadowDenied = List.of();
    private boolean degraded;
    private @Nullable BandSource bands;

    private Builder(Reason reason) {
      this.reason = reason;
    }

    /** Names the rule that decided. */
    public Builder rule(String setId, String id) {
      ruleSetId = setId;
      ruleId = id;
      return this;
    }

    /** Names the plan that decided. */
    public Builder plan(String id) {
      plan = id;
      return this;
    }

    /** Sets the numbers of the reported band. */
    public Builder band(String label, long capacity, long left, Instant resetsAt) {
      return band(
          label,
          capacity,
          left,
          Math.addExact(
              Math.multiplyExact(resetsAt.getEpochSecond(), 1_000_000L),
              (resetsAt.getNano() + 999) / 1000));
    }

    Builder band(String label, long capacity, long left, long resetsAtMicros) {
      band = label;
      limit = capacity;
      remaining = Math.max(0, left);
      resetAtMicros = resetsAtMicros;
      return this;
    }

    /** Sets how long to wait. */
    public Builder retryAfter(Duration wait) {
      return retryAfterMicros((wait.toNanos() + 999) / 1000);
    }

    Builder retryAfterMicros(long micros) {
      retryAfterMicros = micros;
      return this;
    }

    /** Names the shadow rules that would have refused. */
    public Builder shadowDenied(List<String> ruleIds) {
      shadowDenied = List.copyOf(ruleIds);
      return this;
    }

    /** Says whether another store than the configured one decided, or none. */
    public Builder degraded(boolean value) {
      degraded = value;
      return this;
    }

    Builder bands(BandSource source) {
      bands = source;
      return this;
    }

    /** Sets all bands of the enforced rules that applied. */
    public Builder bands(List<BandStatus> all) {
      List<BandStatus> copy = List.copyOf(all);
      return bands(() -> copy);
    }

    /** Builds the result. */
    public RateLimitResult build() {
      return new RateLimitResult(this);
    }
  }
}
