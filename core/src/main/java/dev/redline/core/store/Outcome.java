package dev.redline.core.store;

import dev.redline.core.internal.limit.BandArithmetic;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What a store returns for an acquisition: whether it was allowed, when it was decided, and what
 * each band looked like just before.
 *
 * <p>A store fills it; who asked reads it. Reusable: one that is handed to {@link
 * StorageProvider#acquireNow} again is overwritten. Not thread-safe.
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

  /** Makes room for the bands of an acquisition and forgets what was decided before. */
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

  /** Returns an outcome that says the same, and stays as it is when this one is used again. */
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

  /** Says that all bands of key {@code i} pass. */
  public void pass(int i) {
    if (i < Long.SIZE) {
      passed |= 1L << i;
      return;
    }
    BitSet beyond = passedBeyond == null ? new BitSet() : passedBeyond;
    beyond.set(i);
    passedBeyond = beyond;
  }

  /** Says that key {@code i} was not looked at, because another one refuses anyway. */
  public void unseen(int i) {
    BitSet keys = unseen == null ? new BitSet() : unseen;
    keys.set(i);
    unseen = keys;
  }

  /** Returns whether key {@code i} was looked at, so that its views have a meaning. */
  public boolean seen(int i) {
    return unseen == null || !unseen.get(i);
  }

  /** Says how it was decided, and when, in microseconds since the epoch by the store's clock. */
  public void decide(boolean isAllowed, long atMicros) {
    allowed = isAllowed;
    nowMicros = atMicros;
  }

  /** Says that another store than the configured one decided. */
  public void degrade() {
    degraded = true;
  }

  /**
   * Says that the store decided from what it remembers, without looking at the bucket now: denied
   * because it was denied before, or allowed from tokens that were taken ahead.
   */
  public void recall() {
    recalled = true;
  }

  /** Returns whether everything that may refuse passed. */
  public boolean allowed() {
    return allowed;
  }

  /** Returns whether all bands of key {@code i} pass. */
  public boolean passed(int i) {
    return i < Long.SIZE ? (passed >>> i & 1) != 0 : passedBeyond != null && passedBeyond.get(i);
  }

  /** Returns whether another store than the configured one decided. */
  public boolean degraded() {
    return degraded;
  }

  /** Returns whether the store decided from what it remembers, without looking at the bucket. */
  public boolean recalled() {
    return recalled;
  }

  /** Returns when it was decided, in microseconds since the epoch by the store's clock. */
  public long nowMicros() {
    return nowMicros;
  }

  /** Says when each key was looked at, where not all of them were by the same clock. */
  public void lookedAt(long[] micros) {
    moments = micros.clone();
  }

  /** Returns when key {@code i} was looked at, by the clock of the node that has it. */
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
