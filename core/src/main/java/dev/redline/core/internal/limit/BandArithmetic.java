package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import java.util.Objects;

/**
 * The arithmetic of one band: pure functions on integers, in microseconds.
 *
 * <p>A decision has three steps. {@link #view} reads the kept state at a moment {@code now} into
 * three words; {@link #admits} decides on them; {@link #take} gives the next state. All reported
 * numbers (remaining, wait, reset) are derived from the three words of the view, so a store that
 * decides elsewhere only has to return them. Nothing here allocates, locks or reads a clock.
 *
 * <p>State and views live in {@code long[]} owned by the caller, at an offset, so that the bands of
 * one bucket lie side by side.
 */
public abstract sealed class BandArithmetic permits TokenBucketArithmetic, WindowArithmetic {
  /** How many words a view has. */
  public static final int VIEW_WORDS = 3;

  private final RateLimitBand band;
  private final long capacity;

  BandArithmetic(RateLimitBand band) {
    this.band = Objects.requireNonNull(band);
    this.capacity = band.capacity();
  }

  /** Returns the arithmetic of a band whose state no other limits share. */
  public static BandArithmetic of(RateLimitBand band) {
    return of(band, false);
  }

  /** Returns the arithmetic of a band whose state may be shared with larger or smaller limits. */
  public static BandArithmetic of(RateLimitBand band, boolean shared) {
    return switch (BandKind.of(band)) {
      case CONTINUOUS_BUCKET -> new ContinuousBucket(band, shared);
      case INTERVAL_BUCKET -> new IntervalBucket(band, shared);
      case SLIDING_WINDOW -> new SlidingWindow(band);
      case FIXED_WINDOW -> new FixedWindow(band);
    };
  }

  /**
   * Returns the band this is the arithmetic of. Bands with equal numbers share it, so the label may
   * be another one's.
   */
  public final RateLimitBand band() {
    return band;
  }

  /** Returns the largest cost that can be taken at once. */
  public final long capacity() {
    return capacity;
  }

  /** Returns the unit of the state; bands with the same unit can use each other's state. */
  public abstract String stateUnit();

  /** Returns how many words of state a bucket keeps for this band. */
  public abstract int stateWords();

  /** Writes the state of a full bucket. */
  public abstract void fill(long[] state, int s);

  /** Returns whether the numbers can be a state of a band with this unit. */
  public abstract boolean isPossible(long[] state, int s);

  /**
   * Reads the state at {@code now} into a view.
   *
   * @return whether the state could only come from a clock that has since stepped back, and must be
   *     written again with {@link #take} of cost 0 even if nothing is taken
   */
  public abstract boolean view(long[] state, int s, long now, long[] view, int v);

  /** Returns whether {@code cost} can be taken from what the view shows. */
  public abstract boolean admits(long[] view, int v, long cost);

  /** Writes the state that follows when {@code cost} is taken; the cost must be admitted, or 0. */
  public abstract void take(long[] state, int s, long now, long[] view, int v, long cost);

  /**
   * Refunds a cost that was taken at {@code takenAt}, as far as it has not been refilled by {@code
   * now}. The view is the one on which the cost was taken; the state is the present one, and
   * includes all that was taken and refilled since then.
   *
   * @return whether the state has changed
   */
  public abstract boolean refund(
      long[] state, int s, long now, long[] view, int v, long takenAt, long cost);

  /** Changes the view into the one that follows when {@code cost} is taken. */
  public abstract void advance(long[] view, int v, long cost);

  /** Changes the view into the one without {@code cost}, which was taken before; at most full. */
  public abstract void retreat(long[] view, int v, long cost);

  /**
   * Returns whether tokens can be taken ahead of demand and spent later. The refill that replaces
   * spent tokens must be continuous, or restart with a window.
   */
  public abstract boolean isLeasable();

  /**
   * Returns for how many microseconds the tokens that were last taken can still be spent, where the
   * view is the one after they were taken. Until then one token after the other is replaced by
   * refill, at the pace of {@link #tokenNanos}; tokens of a window end together.
   */
  public abstract long leaseMicros(long[] view, int v);

  /** Returns how many nanoseconds a token lasts, rounded up; 0 for windows. */
  public abstract long tokenNanos();

  /** Makes the view show at least as much taken as another view of the same band and moment. */
  public abstract void merge(long[] view, int v, long[] other, int o);

  /** Returns the parameters of a store that decides elsewhere, for taking {@code cost}. */
  public abstract BandParameters parameters(long cost);

  /** Returns how many leading words of a view such a store has to return. */
  public abstract int sentWords();

  /** Completes a view of which only the leading words were sent, by when it was made. */
  public abstract void complete(long[] view, int v, long now);

  /** Returns how many tokens are left, rounded down. */
  public abstract long remaining(long[] view, int v);

  /**
   * Returns how many microseconds pass until {@code cost} is admitted if nothing else is acquired,
   * rounded up; 0 if it is now. The cost must not exceed the capacity.
   */
  public abstract long waitMicros(long[] view, int v, long cost);

  /** Returns how many microseconds pass until the band is full; of a window, until its end. */
  public abstract long resetMicros(long[] view, int v);

  /** Returns how many microseconds pass until the next token, or the next window; 0 when full. */
  public abstract long nextMicros(long[] view, int v);

  /** Returns how many microseconds lead from empty to full. */
  public abstract long horizonMicros();

  /** Returns in how many microseconds the bucket is full, so that its state can be removed. */
  public abstract long lifetimeMicros(long[] view, int v);

  /** Returns whether the view shows a full band, so that its state can be removed. */
  public final boolean isFull(long[] view, int v) {
    return lifetimeMicros(view, v) == 0;
  }
}
