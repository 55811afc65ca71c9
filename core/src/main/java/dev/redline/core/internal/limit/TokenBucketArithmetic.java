package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;

/**
 * What both token buckets share: time instead of tokens, in exact fractions of a microsecond.
 *
 * <p>A token lasts P/R µs. The state is the moment the bucket is full again, as whole microseconds
 * and a numerator below R; the debt is how far away that moment is. View: debt µs, debt numerator,
 * and the part of the current refill period that has passed (0 where refill is continuous).
 */
abstract sealed class TokenBucketArithmetic extends BandArithmetic
    permits ContinuousBucket, IntervalBucket {
  /** A state no clock reaches from below: full since ever. */
  static final long SINCE_EVER = Long.MIN_VALUE / 4;

  /** No state is earlier, also after refunds of a full bucket. */
  static final long EARLIEST = Long.MIN_VALUE / 2;

  final long tokens;
  final long period;
  final long horizonMicros;
  final long horizonSub;
  private final long oneMicros;
  private final long oneSub;
  private final boolean shared;

  TokenBucketArithmetic(RateLimitBand band, boolean shared, long tokens, long period) {
    super(band);
    this.shared = shared;
    this.tokens = tokens;
    this.period = period;
    this.horizonMicros = wholeMicros(band.capacity());
    this.horizonSub = subMicros(band.capacity());
    this.oneMicros = wholeMicros(1);
    this.oneSub = subMicros(1);
  }

  /** Returns the whole microseconds that {@code cost} tokens last. */
  final long wholeMicros(long cost) {
    return quotient(cost, period, 0, tokens);
  }

  /** Returns the numerator over R of what {@link #wholeMicros} leaves. */
  final long subMicros(long cost) {
    return cost * period - wholeMicros(cost) * tokens;
  }

  /** Returns {@link #wholeMicros}, without dividing for the cost that nearly every request has. */
  private long costMicros(long cost) {
    return cost == 1 ? oneMicros : wholeMicros(cost);
  }

  /** Returns {@link #subMicros}, likewise. */
  private long costSub(long cost) {
    return cost == 1 ? oneSub : subMicros(cost);
  }

  /**
   * Returns (a·b + c) / d rounded down, where that is below 2^53 and 0 ≤ c ≤ d. The product may
   * exceed a word: then the quotient is estimated in floating point, a few units off at most, and
   * corrected by the remainder it leaves, which is so small that arithmetic modulo 2^64 keeps it.
   */
  private static long quotient(long a, long b, long c, long d) {
    long dividend = a * b + c;
    if (Math.multiplyHigh(a, b) == 0 && a * b >= 0 && dividend >= 0) {
      return dividend / d;
    }
    long estimate = (long) ((double) a * b / d);
    return estimate + Math.floorDiv(dividend - estimate * d, d);
  }

  @Override
  public boolean isPossible(long[] state, int s) {
    return state[s] >= EARLIEST && 0 <= state[s + 1] && state[s + 1] < tokens;
  }

  @Override
  public final boolean admits(long[] view, int v, long cost) {
    if (cost > capacity()) {
      return false;
    }
    long micros = view[v] + costMicros(cost);
    long sub = view[v + 1] + costSub(cost);
    if (sub >= tokens) {
      sub -= tokens;
      micros++;
    }
    return micros < horizonMicros || (micros == horizonMicros && sub <= horizonSub);
  }

  @Override
  public final void advance(long[] view, int v, long cost) {
    long sub = view[v + 1] + costSub(cost);
    long carry = sub >= tokens ? 1 : 0;
    view[v] += costMicros(cost) + carry;
    view[v + 1] = sub - carry * tokens;
  }

  @Override
  public final void retreat(long[] view, int v, long cost) {
    long sub = view[v + 1] - costSub(cost);
    long borrow = sub < 0 ? 1 : 0;
    long micros = view[v] - costMicros(cost) - borrow;
    view[v] = Math.max(0, micros);
    view[v + 1] = micros < 0 ? 0 : sub + borrow * tokens;
  }

  @Override
  public final long leaseMicros(long[] view, int v) {
    return view[v];
  }

  @Override
  public final long tokenNanos() {
    return Math.max(1, (period * 1000 + tokens - 1) / tokens);
  }

  /**
   * Writes the debt into the view, clipped to the horizon; returns whether it had to be clipped.
   *
   * <p>A debt above the horizon comes from a clock that stepped back, unless larger limits share
   * the state: then it is theirs, is shown as it is, and denies until it has fallen.
   */
  final boolean viewDebt(long micros, long sub, long[] view, int v) {
    if (micros < 0) {
      view[v] = 0;
      view[v + 1] = 0;
      return false;
    }
    boolean beyond = !shared && isBeyond(micros, sub);
    view[v] = beyond ? horizonMicros : micros;
    view[v + 1] = beyond ? horizonSub : sub;
    return beyond;
  }

  private boolean isBeyond(long micros, long sub) {
    return micros > horizonMicros || (micros == horizonMicros && sub > horizonSub);
  }

  /**
   * Moves the moment at which the bucket is full again forward by min(D, max(0, X + D − now)),
   * where D is how long the cost lasts. What is beyond that has been refilled by time already, and
   * would be minted.
   *
   * @param xMicros X, when the bucket would have been full without the take, in whole microseconds
   * @param xSub the numerator over R of what X leaves
   */
  final boolean refundDebt(long[] state, int s, long now, long xMicros, long xSub, long cost) {
    long priceMicros = costMicros(cost);
    long priceSub = costSub(cost);
    long micros = xMicros + priceMicros - now;
    long sub = xSub + priceSub;
    if (sub >= tokens) {
      sub -= tokens;
      micros++;
    }
    if (micros < 0 || (micros | sub) == 0) {
      return false;
    }
    if (micros > priceMicros || (micros == priceMicros && sub > priceSub)) {
      micros = priceMicros;
      sub = priceSub;
    }
    long borrow = state[s + 1] < sub ? 1 : 0;
    state[s] -= micros + borrow;
    state[s + 1] += borrow * tokens - sub;
    return true;
  }

  final void mergeDebt(long[] view, int v, long[] other, int o) {
    if (other[o] > view[v] || (other[o] == view[v] && other[o + 1] > view[v + 1])) {
      view[v] = other[o];
      view[v + 1] = other[o + 1];
    }
  }

  /** Returns the parameters; a cost above the capacity becomes a price beyond the horizon. */
  final BandParameters parameters(BandKind kind, long cost) {
    boolean payable = cost <= capacity();
    return new BandParameters(
        kind,
        horizonMicros,
        horizonSub,
        tokens,
        period,
        payable ? wholeMicros(cost) : horizonMicros + 1,
        payable ? subMicros(cost) : 0);
  }

  @Override
  public final long remaining(long[] view, int v) {
    long micros = horizonMicros - view[v];
    long sub = horizonSub - view[v + 1];
    if (sub < 0) {
      sub += tokens;
      micros--;
    }
    return micros < 0 ? 0 : quotient(micros, tokens, sub, period);
  }

  /** Returns the microseconds by which debt plus cost exceed the horizon, rounded up; 0 if none. */
  final long excessMicros(long[] view, int v, long cost) {
    long micros = view[v] + costMicros(cost) - horizonMicros;
    long sub = view[v + 1] + costSub(cost) - horizonSub;
    if (sub < 0) {
      sub += tokens;
      micros--;
    } else if (sub >= tokens) {
      sub -= tokens;
      micros++;
    }
    return micros < 0 ? 0 : micros + (sub > 0 ? 1 : 0);
  }

  @Override
  public final long nextMicros(long[] view, int v) {
    long left = remaining(view, v);
    return left >= capacity() ? 0 : waitMicros(view, v, left + 1);
  }

  @Override
  public final long lifetimeMicros(long[] view, int v) {
    return resetMicros(view, v);
  }
}
