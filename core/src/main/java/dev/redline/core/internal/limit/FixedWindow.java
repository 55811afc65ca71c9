package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;

/** A counter per epoch-aligned window. State: index of the window, and its count. */
final class FixedWindow extends WindowArithmetic {
  FixedWindow(RateLimitBand band) {
    super(band);
  }

  @Override
  public int stateWords() {
    return 2;
  }

  @Override
  public void fill(long[] state, int s) {
    state[s] = Long.MIN_VALUE;
    state[s + 1] = 0;
  }

  @Override
  public boolean view(long[] state, int s, long now, long[] view, int v) {
    long index = indexAt(now);
    view[v] = state[s] >= index ? state[s + 1] : 0;
    view[v + 1] = 0;
    view[v + 2] = now - index * window;
    return state[s] > index;
  }

  @Override
  public boolean admits(long[] view, int v, long cost) {
    return cost <= capacity() - view[v];
  }

  @Override
  public void take(long[] state, int s, long now, long[] view, int v, long cost) {
    state[s] = indexAt(now);
    state[s + 1] = view[v] + cost;
  }

  @Override
  public boolean refund(
      long[] state, int s, long now, long[] view, int v, long takenAt, long cost) {
    if (state[s] != indexAt(takenAt)) {
      return false;
    }
    state[s + 1] = Math.max(0, state[s + 1] - cost);
    return true;
  }

  @Override
  public BandParameters parameters(long cost) {
    return new BandParameters(
        BandKind.FIXED_WINDOW, capacity(), window, 1, 0, Math.min(cost, capacity() + 1), 1);
  }

  @Override
  public int sentWords() {
    return 1;
  }

  @Override
  public void complete(long[] view, int v, long now) {
    view[v + 1] = 0;
    view[v + 2] = Math.floorMod(now, window);
  }

  @Override
  public long remaining(long[] view, int v) {
    return Math.max(0, capacity() - view[v]);
  }

  @Override
  public long waitMicros(long[] view, int v, long cost) {
    return admits(view, v, cost) ? 0 : untilEnd(view, v);
  }

  @Override
  public long lifetimeMicros(long[] view, int v) {
    return view[v] == 0 ? 0 : untilEnd(view, v);
  }
}
