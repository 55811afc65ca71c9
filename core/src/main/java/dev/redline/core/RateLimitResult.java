package dev.redline.core;

import dev.redline.core.internal.key.ApiKeyDigest;
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
  private final ResultDetails details;

  RateLimitResult(Reason reason, ResultDetails details) {
    this.reason = reason;
    this.details = details;
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
    return Optional.ofNullable(details.ruleSetId());
  }

  /** Returns the rule that decided. */
  public Optional<String> ruleId() {
    return Optional.ofNullable(details.ruleId());
  }

  /** Returns the plan that decided, where plans were asked for instead of rules. */
  public Optional<String> plan() {
    return Optional.ofNullable(details.plan());
  }

  /** Returns the label of the reported band. */
  public Optional<String> band() {
    return Optional.ofNullable(details.band());
  }

  /** Returns the capacity of the reported band. */
  public OptionalLong limit() {
    return present(details.limit());
  }

  /** Returns what is left of the reported band, rounded down, after this decision. */
  public OptionalLong remaining() {
    return present(details.remaining());
  }

  /** Returns how long to wait: whoever waits that long and is alone gets in. */
  public Optional<Duration> retryAfter() {
    long micros = details.retryAfterMicros();
    return micros == ABSENT ? Optional.empty() : Optional.of(Duration.ofNanos(micros * 1000));
  }

  /** Returns {@link #retryAfter} in whole milliseconds, rounded up. */
  public OptionalLong retryAfterMs() {
    return ceiledMillis(details.retryAfterMicros());
  }

  /** Returns when the reported band is full again if nobody takes more; a window: its end. */
  public Optional<Instant> resetAt() {
    long micros = details.resetAtMicros();
    return micros == ABSENT ? Optional.empty() : Optional.of(instant(micros));
  }

  /** Returns {@link #resetAt} in whole milliseconds since the epoch, rounded up. */
  public OptionalLong resetAtMs() {
    return ceiledMillis(details.resetAtMicros());
  }

  /** Returns the ids of the shadow rules that would have refused. */
  public List<String> shadowDenied() {
    return details.shadowDenied();
  }

  /** Returns whether another store than the configured one decided, or none. */
  public boolean degraded() {
    return details.degraded();
  }

  /** Returns all bands of the enforced rules that applied, in order of evaluation. */
  public List<BandStatus> bands() {
    return details.bands();
  }

  /**
   * Returns a digest of whoever the reported band counts, for logs: the same caller has the same
   * one, in this process. Worked out at every call; not for the request path.
   */
  public Optional<String> identityDigest() {
    return identityDigest(ApiKeyDigest.ofProcess());
  }

  /**
   * Returns the digest under a secret of one's own. Without a secret it would tell who it is of:
   * all IPv4 addresses can be tried in minutes.
   */
  public Optional<String> identityDigest(ApiKeyDigest keyed) {
    return Optional.ofNullable(details.identity()).map(identity -> "x:" + keyed.of(identity));
  }

  /** Returns the rule set, or null; {@link #ruleSetId} without a wrapper, for the hot path. */
  public @Nullable String ruleSetIdOrNull() {
    return details.ruleSetId();
  }

  /** Returns the rule, or null. */
  public @Nullable String ruleIdOrNull() {
    return details.ruleId();
  }

  /** Returns the plan, or null. */
  public @Nullable String planOrNull() {
    return details.plan();
  }

  /** Returns the label of the reported band, or null. */
  public @Nullable String bandOrNull() {
    return details.band();
  }

  /** Returns the capacity of the reported band, or {@link #ABSENT}. */
  public long limitOrAbsent() {
    return details.limit();
  }

  /** Returns what is left of the reported band, or {@link #ABSENT}. */
  public long remainingOrAbsent() {
    return details.remaining();
  }

  /** Returns how many microseconds to wait, or {@link #ABSENT}. */
  public long retryAfterMicrosOrAbsent() {
    return details.retryAfterMicros();
  }

  /** Returns how many milliseconds to wait, rounded up, or {@link #ABSENT}. */
  public long retryAfterMsOrAbsent() {
    return ceiledMillisOrAbsent(details.retryAfterMicros());
  }

  /** Returns the microsecond since the epoch of {@link #resetAt}, or {@link #ABSENT}. */
  public long resetAtMicrosOrAbsent() {
    return details.resetAtMicros();
  }

  /** Returns the millisecond since the epoch of {@link #resetAt}, or {@link #ABSENT}. */
  public long resetAtMsOrAbsent() {
    return ceiledMillisOrAbsent(details.resetAtMicros());
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
    public Builder band(String label, long capacity, long left, Instant resetsAt) {
      band = label;
      limit = capacity;
      remaining = Math.max(0, left);
      resetAtMicros =
          Math.addExact(
              Math.multiplyExact(resetsAt.getEpochSecond(), 1_000_000L),
              (resetsAt.getNano() + 999) / 1000);
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

    /** Sets all bands of the enforced rules that applied. */
    public Builder bands(List<BandStatus> all) {
      bands = List.copyOf(all);
      return this;
    }

    /** Builds the result. */
    public RateLimitResult build() {
      return new RateLimitResult(
          reason,
          new ResultDetails.Given(
              ruleSetId,
              ruleId,
              plan,
              band,
              limit,
              remaining,
              retryAfterMicros,
              resetAtMicros,
              shadowDenied,
              degraded,
              bands));
    }
  }
}
