package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import java.math.BigInteger;

/**
 * A sliding window counter: the current window plus the share of the previous one that a window
 * ending now still covers. State: index of the current window, its count, the previous count.
 *
 * <p>The share is counted in W steps of q µs, with q chosen so that every product stays below 2^53.
 */
final class SlidingWindow extends WindowArithmetic {
  private final long quantum;
  private final long steps;
  private final long lastStep;

  SlidingWindow(RateLimitBand band) {
    super(band);
    BigInteger product = BigInteger.valueOf(capacity()).multiply(BigInteger.valueOf(window));
    BigInteger unit = BigInteger.ONE.shiftLeft(50);
    BigInteger rounded = product.add(unit).subtract(BigInteger.ONE).divide(unit);
    this.quantum = Math.max(1, rounded.longValueExact());
    this.steps = (window + quantum - 1) / quantum;
    this.lastStep = (window - 1) / quantum;
  }

  @Override
  public int stateWords() {
    return 3;
  }

  @Override
  public void fill(long[] state, int s) {
    state[s] = Long.MIN_VALUE;
    state[s + 1] = 0;
    state[s + 2] = 0;
  }

  @Override
  public boolean view(long[] state, int s, long now, long[] view, int v) {
    long index = indexAt(now);
    long age = state[s] >= index ? 0 : index - 1 == state[s] ? 1 : 2;
    view[v] = age == 0 ? state[s + 1] : 0;
    view[v + 1] = age == 2 ? 0 : state[s + 1 + (age == 0 ? 1 : 0)];
    view[v + 2] = now - index * window;
    return state[s] > index;
  }

  @Override
  public boolean admits(long[] view, int v, long cost) {
    return cost <= remaining(view, v);
  }

  @Override
  public void take(long[] state, int s, long now, long[] view, int v, long cost) {
    state[s] = indexAt(now);
    state[s + 1] = view[v] + cost;
    state[s + 2] = view[v + 1];
  }

  @Override
  public boolean refund(
      long[] state, int s, long now, long[] view, int v, long takenAt, long cost) {
    long age = state[s] - indexAt(takenAt);
    if (age != 0 && age != 1) {
      return false;
    }
    int count = s + 1 + (int) age;
    state[count] = Math.max(0, state[count] - cost);
    return true;
  }

  @Override
  public BandParameters parameters(long cost) {
    return new BandParameters(
        BandKind.SLIDING_WINDOW,
        capacity(),
        window,
        steps,
        0,
        Math.min(cost, capacity() + 1),
        quantum);
  }

  @Override
  public int sentWords() {
    return 2;
  }

  @Override
  public void complete(long[] view, int v, long now) {
    view[v + 2] = Math.floorMod(now, window);
  }

  @Override
  public long remaining(long[] view, int v) {
    long previous = view[v + 1];
    long left = steps - view[v + 2] / quantum;
    long all = capacity() * steps;
    // By a quotient, because larger limits may have counted so much that the product overflows.
    if (previous > 0 && left > all / previous) {
      return 0;
    }
    return Math.max(0, (all - previous * left) / steps - view[v]);
  }

  @Override
  public long waitMicros(long[] view, int v, long cost) {
    if (admits(view, v, cost)) {
      return 0;
    }
    long current = view[v];
    long thisWindow = firstStep(view[v + 1], capacity() - current - cost);
    if (thisWindow <= lastStep) {
      return thisWindow * quantum - view[v + 2];
    }
    long nextWindow = firstStep(current, capacity() - cost);
    return untilEnd(view, v) + (nextWindow <= lastStep ? nextWindow * quantum : window);
  }

  /** Returns the first step at which a previous count covers at most {@code room}; W if none. */
  private long firstStep(long previous, long room) {
    if (room < 0) {
      return steps;
    }
    return previous == 0 ? 0 : Math.max(0, steps - room * steps / previous);
  }

  @Override
  public long lifetimeMicros(long[] view, int v) {
    if (view[v] > 0) {
      return untilEnd(view, v) + window;
    }
    return view[v + 1] > 0 ? untilEnd(view, v) : 0;
  }
}
