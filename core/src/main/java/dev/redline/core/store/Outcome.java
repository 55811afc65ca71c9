package dev.redline.core.store;

import dev.redline.core.internal.limit.BandArithmetic;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What a store returns for an acquisition: whether it was allowed, when it was decided, and what
 * each band looked like just before.
 *
 * <p>A store writes it, and the engine reads it. Reusable: {@link StorageProvider#acquireNow}
 * overwrites it. Not thread-safe.
 */
public final class Outcome {
  private static final long[] NO_TOKENS = {};

  private boolean allowed;
  private boolean degraded;
  private boolean recalled;
  private long nowMicros;
  private long passed;
  private @Nullable BitSet passedBeyond;
  private @Nullable BitSet unseen;
  private long @Nullable [] moments;
  private long[] views;
  private int leasedKeys;
  private long[] leased = NO_TOKENS;

  /** Creates an outcome with room for one band; it grows as needed. */
  public Outcome() {
    this.views = new long[BandArithmetic.VIEW_WORDS];
  }

  /** Clears the outcome, and makes room for the bands of an acquisition. */
  public void reset(int bands) {
    int words = bands * BandArithmetic.VIEW_WORDS;
    if (views.length < words) {
      views = new long[words];
    }
    passed = 0;
    passedBeyond = null;
    unseen = null;
    moments = null;
    leasedKeys = 0;
    allowed = false;
    degraded = false;
    recalled = false;
  }

  /** Returns a copy, which does not change when this outcome is used again. */
  public Outcome copy() {
    Outcome copy = new Outcome();
    copy.allowed = allowed;
    copy.degraded = degraded;
    copy.recalled = recalled;
    copy.nowMicros = nowMicros;
    copy.passed = passed;
    copy.passedBeyond = passedBeyond == null ? null : (BitSet) passedBeyond.clone();
    copy.unseen = unseen == null ? null : (BitSet) unseen.clone();
    copy.moments = moments == null ? null : moments.clone();
    copy.views = views.clone();
    copy.leasedKeys = leasedKeys;
    copy.leased = leased.clone();
    return copy;
  }

  /**
   * Returns the views of all bands, {@link BandArithmetic#VIEW_WORDS} words each, in the order of
   * keys and of their bands; the store writes them.
   */
  public long[] views() {
    return views;
  }

  /** Records that all bands of key {@code i} allow its cost. */
  public void pass(int i) {
    if (i < Long.SIZE) {
      passed |= 1L << i;
      return;
    }
    BitSet beyond = passedBeyond == null ? new BitSet() : passedBeyond;
    beyond.set(i);
    passedBeyond = beyond;
  }

  /** Records that key {@code i} was not read, because another key denies anyway. */
  public void unseen(int i) {
    BitSet keys = unseen == null ? new BitSet() : unseen;
    keys.set(i);
    unseen = keys;
  }

  /** Returns whether key {@code i} was read, so that its views have a meaning. */
  public boolean seen(int i) {
    return unseen == null || !unseen.get(i);
  }

  /** Records the decision and its time, in microseconds since the epoch by the store's clock. */
  public void decide(boolean isAllowed, long atMicros) {
    allowed = isAllowed;
    nowMicros = atMicros;
  }

  /** Records that another store than the configured one decided. */
  public void degrade() {
    degraded = true;
  }

  /**
   * Records that the store decided without reading the bucket: it repeated an earlier denial, or
   * allowed from tokens that were acquired ahead.
   */
  public void recall() {
    recalled = true;
  }

  /** Returns whether every key that is not shadow allows its cost. */
  public boolean allowed() {
    return allowed;
  }

  /** Returns whether all bands of key {@code i} allow its cost. */
  public boolean passed(int i) {
    return i < Long.SIZE ? (passed >>> i & 1) != 0 : passedBeyond != null && passedBeyond.get(i);
  }

  /** Returns whether another store than the configured one decided. */
  public boolean degraded() {
    return degraded;
  }

  /** Returns whether the store repeated an earlier denial without reading the bucket. */
  public boolean recalled() {
    return recalled;
  }

  /** Returns when it was decided, in microseconds since the epoch by the store's clock. */
  public long nowMicros() {
    return nowMicros;
  }

  /** Records when each key was read, if the clocks of several nodes were used. */
  public void lookedAt(long[] micros) {
    moments = micros.clone();
  }

  /** Returns when key {@code i} was read, by the clock of the node that has it. */
  public long nowMicros(int i) {
    return moments == null ? nowMicros : moments[i];
  }

  /**
   * Says how many tokens of key {@code i} this process has taken from the store ahead of demand and
   * not spent before this decision. They come on top of what the views show.
   */
  public void lease(int i, long tokens) {
    if (leased.length <= i) {
      leased = Arrays.copyOf(leased, i + 1);
    }
    for (; leasedKeys <= i; leasedKeys++) {
      leased[leasedKeys] = 0;
    }
    leased[i] = tokens;
  }

  /** Returns how many tokens of key {@code i} this process holds on top of what the views show. */
  public long leased(int i) {
    return i < leasedKeys ? leased[i] : 0;
  }
}
