package dev.redline.core.internal.store;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.internal.limit.BucketArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;

/**
 * Walks the keys of an acquisition, or all bands of all keys, and knows where their views begin in
 * an outcome. For readers of outcomes; the decision itself must not depend on the object being
 * optimised away.
 *
 * <pre>{@code
 * BandCursor at = new BandCursor(acquisition);
 * while (at.nextBand()) {
 *   at.band().remaining(outcome.views(), at.view());
 * }
 * }</pre>
 *
 * <p>Before the first step it stands nowhere. Not thread-safe.
 */
public final class BandCursor {
  private final Acquisition acquisition;
  private BucketLimits limits;
  private int key = -1;
  private int band;
  private int number;

  /** Creates a cursor before the first key. */
  public BandCursor(Acquisition acquisition) {
    this.acquisition = acquisition;
    this.limits = acquisition.key(0).limits();
  }

  /** Moves to the first band of the next key; returns false if there is none. */
  public boolean nextKey() {
    if (key >= 0) {
      number += limits.size() - band;
    }
    band = 0;
    key++;
    if (key >= acquisition.size()) {
      return false;
    }
    limits = acquisition.key(key).limits();
    return true;
  }

  /** Moves to the next band, of the next key if need be; returns false if there is none. */
  public boolean nextBand() {
    if (key < 0 || band + 1 >= limits.size()) {
      return nextKey();
    }
    band++;
    number++;
    return true;
  }

  /** Returns the number of the key, from 0. */
  public int key() {
    return key;
  }

  /** Returns the number of the band among those of its key, from 0. */
  public int bandOfKey() {
    return band;
  }

  /** Returns the number of the band among those of all keys, from 0. */
  public int number() {
    return number;
  }

  /** Returns the limits of the key. */
  public BucketLimits limits() {
    return limits;
  }

  /** Returns the arithmetic of all bands of the key. */
  public BucketArithmetic bucket() {
    return limits.arithmetic();
  }

  /** Returns the arithmetic of the band. */
  public BandArithmetic band() {
    return limits.band(band);
  }

  /** Returns what is to be acquired from the band. */
  public long cost() {
    return acquisition.cost(key);
  }

  /** Returns whether the key never denies. */
  public boolean shadow() {
    return acquisition.shadow(key);
  }

  /** Returns where the view of the band begins in the views of an outcome. */
  public int view() {
    return number * BandArithmetic.VIEW_WORDS;
  }
}
