package dev.redline.core.internal.limit;

/**
 * The arithmetic of one bucket: that of its bands, whose words of state and view lie side by side.
 *
 * <p>State begins at an offset {@code s} of an array of the caller's, views at an offset {@code v}
 * of another one. Nothing here allocates, locks or reads a clock; see {@link BandArithmetic}.
 */
public final class BucketArithmetic {
  private final BandArithmetic[] bands;
  private final int stateWords;
  private final long capacity;

  /** Puts bands side by side; there is at least one, and the array is not changed any more. */
  public BucketArithmetic(BandArithmetic[] bands) {
    this.bands = bands;
    int words = 0;
    long least = Long.MAX_VALUE;
    for (BandArithmetic band : bands) {
      words += band.stateWords();
      least = Math.min(least, band.capacity());
    }
    this.stateWords = words;
    this.capacity = least;
  }

  /** Returns how many words of state one bucket keeps. */
  public int stateWords() {
    return stateWords;
  }

  /** Returns how many words the views of all bands have. */
  public int viewWords() {
    return bands.length * BandArithmetic.VIEW_WORDS;
  }

  /** Returns the most that can ever be acquired at once: the least capacity of all bands. */
  public long capacity() {
    return capacity;
  }

  /** Writes the state of a full bucket. */
  public void fill(long[] state, int s) {
    int at = s;
    for (BandArithmetic band : bands) {
      band.fill(state, at);
      at += band.stateWords();
    }
  }

  /** Returns whether the numbers can be a state of these bands. */
  public boolean isPossible(long[] state, int s) {
    int at = s;
    for (BandArithmetic band : bands) {
      if (!band.isPossible(state, at)) {
        return false;
      }
      at += band.stateWords();
    }
    return true;
  }

  /**
   * Reads the state at {@code now} into views.
   *
   * @return whether the state could only come from a clock that has since stepped back, and must be
   *     written again with {@link #take} of cost 0 even if nothing is acquired
   */
  public boolean view(long[] state, int s, long now, long[] views, int v) {
    boolean stepped = false;
    int at = s;
    for (int b = 0; b < bands.length; b++) {
      stepped |= bands[b].view(state, at, now, views, v + b * BandArithmetic.VIEW_WORDS);
      at += bands[b].stateWords();
    }
    return stepped;
  }

  /** Returns whether every band admits {@code cost}. */
  public boolean admits(long[] views, int v, long cost) {
    for (int b = 0; b < bands.length; b++) {
      if (!bands[b].admits(views, v + b * BandArithmetic.VIEW_WORDS, cost)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the state that follows when {@code cost} is taken, which must be admitted or 0. Of a
   * band that can never hold the cost, all is taken.
   */
  public void take(long[] state, int s, long now, long[] views, int v, long cost) {
    int at = s;
    for (int b = 0; b < bands.length; b++) {
      BandArithmetic band = bands[b];
      long payable = Math.min(cost, band.capacity());
      band.take(state, at, now, views, v + b * BandArithmetic.VIEW_WORDS, payable);
      at += band.stateWords();
    }
  }

  /**
   * Refunds a cost as far as it has not been refilled; see {@link BandArithmetic#refund}.
   *
   * @param views the views on which the cost was taken
   * @param takenAt when it was taken
   * @return whether the state has changed
   */
  public boolean refund(
      long[] state, int s, long now, long[] views, int v, long takenAt, long cost) {
    boolean changed = false;
    int at = s;
    for (int b = 0; b < bands.length; b++) {
      int view = v + b * BandArithmetic.VIEW_WORDS;
      changed |= bands[b].refund(state, at, now, views, view, takenAt, cost);
      at += bands[b].stateWords();
    }
    return changed;
  }

  /** Changes the views into those that follow when {@code cost} is taken. */
  public void advance(long[] views, int v, long cost) {
    for (int b = 0; b < bands.length; b++) {
      bands[b].advance(views, v + b * BandArithmetic.VIEW_WORDS, cost);
    }
  }

  /** Changes the views into those without {@code cost}, which was taken before; at most full. */
  public void retreat(long[] views, int v, long cost) {
    for (int b = 0; b < bands.length; b++) {
      bands[b].retreat(views, v + b * BandArithmetic.VIEW_WORDS, cost);
    }
  }

  /** Returns how many are left in the band that has least. */
  public long remaining(long[] views, int v) {
    long least = Long.MAX_VALUE;
    for (int b = 0; b < bands.length; b++) {
      least = Math.min(least, bands[b].remaining(views, v + b * BandArithmetic.VIEW_WORDS));
    }
    return least;
  }

  /** Returns whether tokens of every band can be taken ahead of demand and spent later. */
  public boolean isLeasable() {
    for (BandArithmetic band : bands) {
      if (!band.isLeasable()) {
        return false;
      }
    }
    return true;
  }

  /** Makes the views show at least as much taken as other views of the same moment. */
  public void merge(long[] views, int v, long[] other, int o) {
    for (int b = 0; b < bands.length; b++) {
      int offset = b * BandArithmetic.VIEW_WORDS;
      bands[b].merge(views, v + offset, other, o + offset);
    }
  }

  /**
   * Returns how many microseconds pass until every band admits {@code cost} if nothing else is
   * acquired; of a band that can never hold the cost, until it is full.
   */
  public long waitMicros(long[] views, int v, long cost) {
    long longest = 0;
    for (int b = 0; b < bands.length; b++) {
      long payable = Math.min(cost, bands[b].capacity());
      long wait = bands[b].waitMicros(views, v + b * BandArithmetic.VIEW_WORDS, payable);
      longest = Math.max(longest, wait);
    }
    return longest;
  }

  /** Returns in how many microseconds the bucket is full, so that its state can be removed. */
  public long lifetimeMicros(long[] views, int v) {
    long longest = 0;
    for (int b = 0; b < bands.length; b++) {
      long lifetime = bands[b].lifetimeMicros(views, v + b * BandArithmetic.VIEW_WORDS);
      longest = Math.max(longest, lifetime);
    }
    return longest;
  }
}
