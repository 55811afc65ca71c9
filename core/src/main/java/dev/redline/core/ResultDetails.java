package dev.redline.core;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What there is to tell about a decision beside its reason; see {@link RateLimitResult}. Nobody
 * asks for all of it, so it may be worked out when asked for. Immutable once a result holds it.
 */
interface ResultDetails {
  @Nullable String ruleSetId();

  @Nullable String ruleId();

  @Nullable String plan();

  @Nullable String band();

  long limit();

  long remaining();

  long retryAfterMicros();

  long resetAtMicros();

  List<String> shadowDenied();

  boolean degraded();

  List<BandStatus> bands();

  /** Returns whose bucket is reported, or null if none is. */
  default @Nullable String identity() {
    return null;
  }

  /** Details that are there already. */
  record Given(
      @Nullable String ruleSetId,
      @Nullable String ruleId,
      @Nullable String plan,
      @Nullable String band,
      long limit,
      long remaining,
      long retryAfterMicros,
      long resetAtMicros,
      List<String> shadowDenied,
      boolean degraded,
      List<BandStatus> bands)
      implements ResultDetails {}
}
