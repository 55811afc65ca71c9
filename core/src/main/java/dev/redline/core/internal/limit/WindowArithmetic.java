package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;

/**
 * What both windows share: epoch-aligned windows that roll. View: count of the current window,
 * count of the previous one (0 where it does not matter), and the microseconds elapsed in the
 * current one.
 */
abstract sealed class WindowArithmetic extends BandArithmetic permits SlidingWindow, FixedWindow {
  /** More than any limits can have counted; sums of it do not overflow. */
  private static final long MAX_COUNT = 1L << 53;

  final long window;

  WindowArithmetic(RateLimitBand band) {
    super(band);
    this.window = band.periodMicros();
  }

  /** Windows are numbered by their length, so another length is another count. */
  @Override
  public final String stateUnit() {
    return band().algorithm() + "/" + window;
  }

  @Override
  public final boolean isPossible(long[] state, int s) {
    for (int count = s + 1; count < s + stateWords(); count++) {
      if (state[count] < 0 || state[count] > MAX_COUNT) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the window that {@code now} lies in. */
  final long indexAt(long now) {
    return Math.floorDiv(now, window);
  }

  final long untilEnd(long[] view, int v) {
    return window - view[v + 2];
  }

  @Override
  public final void advance(long[] view, int v, long cost) {
    view[v] += cost;
  }

  @Override
  public final void retreat(long[] view, int v, long cost) {
    view[v] = Math.max(0, view[v] - cost);
  }

  @Override
  public final boolean isLeasable() {
    return true;
  }

  @Override
  public final long leaseMicros(long[] view, int v) {
    return untilEnd(view, v);
  }

  @Override
  public final long tokenNanos() {
    return 0;
  }

  @Override
  public final void merge(long[] view, int v, long[] other, int o) {
    view[v] = Math.max(view[v], other[o]);
    view[v + 1] = Math.max(view[v + 1], other[o + 1]);
  }

  @Override
  public final long resetMicros(long[] view, int v) {
    return untilEnd(view, v);
  }

  @Override
  public final long nextMicros(long[] view, int v) {
    return view[v] == 0 && view[v + 1] == 0 ? 0 : untilEnd(view, v);
  }

  @Override
  public final long horizonMicros() {
    return window;
  }
}
