package dev.redline.core;

import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A decision and what is known about it. A value that does not apply is absent.
 *
 * <p>Immutable: all numbers were computed when the decision was made. They are those of one band:
 * of an allowed request the one with the smallest share left, of a denied one the one with the
 * longest wait.
 */
public final class RateLimitResult {
  /** What the {@code …OrAbsent} methods return for a number that does not apply. */
  public static final long ABSENT = -1;

  private final Reason reason;
  private final @Nullable String ruleSetId;
  private final @Nullable String ruleId;
  private final @Nullable String plan;
  private final @Nullable String band;
  private final @Nullable String identity;
  private final long limit;
  private final long remaining;
  private final long retryAfterMicros;
  private final long resetAtMicros;
  private final List<String> shadowDenied;
  private final List<BandStatus> bands;
  private final boolean degraded;

  private RateLimitResult(Builder builder) {
    this.reason = builder.reason;
    this.ruleSetId = builder.ruleSetId;
    this.ruleId = builder.ruleId;
    this.plan = builder.plan;
    this.band = builder.band;
    this.identity = null;
    this.limit = builder.limit;
    this.remaining = builder.remaining;
    this.retryAfterMicros = builder.retryAfterMicros;
    this.resetAtMicros = builder.resetAtMicros;
    this.shadowDenied = builder.shadowDenied;
    this.bands = builder.bands;
    this.degraded = builder.degraded;
  }

  /** Creates the result that reports band {@code b} of a key; a plan has no rule set. */
  RateLimitResult(
      Reason reason,
      RateLimitKey key,
      int b,
      @Nullable String ruleSetId,
      long remaining,
      long retryAfterMicros,
      long resetAtMicros,
      List<String> shadowDenied,
      List<BandStatus> bands,
      boolean degraded) {
    BucketLimits limits = key.limits();
    this.reason = reason;
    this.ruleSetId = ruleSetId;
    this.ruleId = ruleSetId == null ? null : limits.ownerId();
    this.plan = ruleSetId == null ? limits.ownerId() : null;
    this.band = limits.label(b);
    this.identity = key.identity();
    this.limit = limits.band(b).capacity();
    this.remaining = Math.max(0, remaining);
    this.retryAfterMicros = retryAfterMicros;
    this.resetAtMicros = resetAtMicros;
    this.shadowDenied = shadowDenied;
    this.bands = bands;
    this.degraded = degraded;
  }

  /** Creates a copy that another store than the configured one decided, or none. */
  private RateLimitResult(RateLimitResult other, long retryAfterMicros) {
    this.reason = other.reason;
    this.ruleSetId = other.ruleSetId;
    this.ruleId = other.ruleId;
    this.plan = other.plan;
    this.band = other.band;
    this.identity = other.identity;
    this.limit = other.limit;
    this.remaining = other.remaining;
    this.retryAfterMicros = retryAfterMicros;
    this.resetAtMicros = other.resetAtMicros;
    this.shadowDenied = other.shadowDenied;
    this.bands = other.bands;
    this.degraded = true;
  }

  /** Returns a degraded copy; {@link #ABSENT} if waiting does not help. */
  RateLimitResult asDegraded(long waitMicros) {
    return new RateLimitResult(this, waitMicros);
  }

  /** Returns a result that has a reason only. */
  public static RateLimitResult of(Reason reason) {
    return builder(reason).build();
  }

  /** Returns a builder, for handlers that get their decisions elsewhere. */
  public static Builder builder(Reason reason) {
    return new Builder(reason);
  }

  /** Returns whether the request is allowed. */
  public boolean allowed() {
    return reason.allowed();
  }

  /**
   * Returns this result if it is allowed.
   *
   * @throws RateLimitExceededException if it is denied; the exception carries this result
   */
  public RateLimitResult orThrow() {
    if (!allowed()) {
      throw new RateLimitExceededException(this);
    }
    return this;
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

  /** Returns the plan that decided, where a check names plans instead of a request. */
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

  /** Returns how long to wait: a caller that waits that long and has no competitor is allowed. */
  public Optional<Duration> retryAfter() {
    long micros = retryAfterMicros;
    return micros == ABSENT ? Optional.empty() : Optional.of(Duration.ofNanos(micros * 1000));
  }

  /** Returns {@link #retryAfter} in whole milliseconds, rounded up. */
  public OptionalLong retryAfterMs() {
    return ceiledMillis(retryAfterMicros);
  }

  /**
   * Returns when the reported band is full again without further acquisitions; of a window, its
   * end.
   */
  public Optional<Instant> resetAt() {
    long micros = resetAtMicros;
    return micros == ABSENT ? Optional.empty() : Optional.of(instant(micros));
  }

  /** Returns {@link #resetAt} in whole milliseconds since the epoch, rounded up. */
  public OptionalLong resetAtMs() {
    return ceiledMillis(resetAtMicros);
  }

  /** Returns the ids of the shadow rules that would have denied. */
  public List<String> shadowDenied() {
    return shadowDenied;
  }

  /** Returns whether another store than the configured one decided, or none. */
  public boolean degraded() {
    return degraded;
  }

  /**
   * Returns all bands of the enforced rules that applied, in order of evaluation; empty unless the
   * engine {@linkplain RateLimitEngine.Builder#reportBands reports bands}.
   */
  public List<BandStatus> bands() {
    return bands;
  }

  /**
   * Returns a digest of the caller that the reported band counts, for logs: one caller has the same
   * digest everywhere in this process. Computed at every call; not for the request path.
   */
  public Optional<String> identityDigest() {
    return identityDigest(ApiKeyDigest.ofProcess());
  }

  /**
   * Returns the digest under a secret of the application. A digest without a secret reveals the
   * caller: all IPv4 addresses can be tried in minutes.
   */
  public Optional<String> identityDigest(ApiKeyDigest keyed) {
    return Optional.ofNullable(identity).map(identity -> "x:" + keyed.of(identity));
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
    if (limitOrAbsent() != ABSENT) {
      text.append(" ").append(bandOrNull()).append(" ");
      text.append(remainingOrAbsent()).append("/").append(limitOrAbsent());
    }
    retryAfter().ifPresent(wait -> text.append(" retry after ").append(wait));
    return text.append(']').toString();
  }

  /**
   * One band of a matching rule as a decision left it.
   *
   * @param owner the id of the rule or plan
   * @param label the band's label
   * @param passed whether the band passed
   * @param limit its capacity
   * @param remaining how many are left, rounded down
   * @param window the time from empty to full
   * @param next the time until the next token or window; zero when full
   * @param resetAt when it is full again if no more is acquired; a window: its end
   */
  public record BandStatus(
      String owner,
      String label,
      boolean passed,
      long limit,
      long remaining,
      Duration window,
      Duration next,
      Instant resetAt) {}

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
    private List<BandStatus> bands = List.of();

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
    public Builder band(String label, long capacity, long left, Instant resetAt) {
      band = label;
      limit = capacity;
      remaining = Math.max(0, left);
      resetAtMicros =
          Math.addExact(
              Math.multiplyExact(resetAt.getEpochSecond(), 1_000_000L),
              (resetAt.getNano() + 999) / 1000);
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

    /** Names the shadow rules that would have denied. */
    public Builder shadowDenied(List<String> ruleIds) {
      shadowDenied = List.copyOf(ruleIds);
      return this;
    }

    /** Says whether another store than the configured one decided, or none. */
    public Builder degraded(boolean value) {
      degraded = value;
      return this;
    }

    /** Sets all bands of the enforced rules that applied. */
    public Builder bands(List<BandStatus> all) {
      bands = List.copyOf(all);
      return this;
    }

    /** Builds the result. */
    public RateLimitResult build() {
      return new RateLimitResult(this);
    }
  }
}
