package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;

/**
 * A token bucket that refills at the end of whole periods, counted from when it last left full.
 * State: the moment it would be full again, as of continuous refill, and the anchor of its periods.
 */
final class IntervalBucket extends TokenBucketArithmetic {
  IntervalBucket(RateLimitBand band, boolean shared) {
    super(band, shared, band.refillTokens(), band.periodMicros());
  }

  @Override
  public String stateUnit() {
    return "interval/" + tokens + "/" + period;
  }

  @Override
  public int stateWords() {
    return 3;
  }

  @Override
  public void fill(long[] state, int s) {
    state[s] = SINCE_EVER;
    state[s + 1] = 0;
    state[s + 2] = SINCE_EVER;
  }

  @Override
  public boolean isPossible(long[] state, int s) {
    return super.isPossible(state, s) && state[s + 2] >= EARLIEST;
  }

  @Override
  public boolean view(long[] state, int s, long now, long[] view, int v) {
    long anchor = state[s + 2];
    boolean future = anchor > now;
    long phase = future ? 0 : (now - anchor) % period;
    long roundedNow = future ? anchor : now - phase;
    boolean beyond = viewDebt(state[s] - roundedNow, state[s + 1], view, v);
    boolean full = view[v] == 0 && view[v + 1] == 0;
    view[v + 2] = full ? 0 : phase;
    return beyond || (future && !full);
  }

  @Override
  public void take(long[] state, int s, long now, long[] view, int v, long cost) {
    long roundedNow = now - view[v + 2];
    long sub = view[v + 1] + subMicros(cost);
    long carry = sub >= tokens ? 1 : 0;
    state[s] = roundedNow + view[v] + wholeMicros(cost) + carry;
    state[s + 1] = sub - carry * tokens;
    state[s + 2] = roundedNow;
  }

  @Override
  public boolean refund(
      long[] state, int s, long now, long[] view, int v, long takenAt, long cost) {
    long anchor = state[s + 2];
    long roundedNow = anchor > now ? anchor : now - (now - anchor) % period;
    return refundDebt(state, s, roundedNow, takenAt - view[v + 2] + view[v], view[v + 1], cost);
  }

  @Override
  public void merge(long[] view, int v, long[] other, int o) {
    boolean bothOwe = (view[v] | view[v + 1]) != 0 && (other[o] | other[o + 1]) != 0;
    long phase = bothOwe ? Math.min(view[v + 2], other[o + 2]) : view[v + 2] | other[o + 2];
    mergeDebt(view, v, other, o);
    view[v + 2] = phase;
  }

  @Override
  public boolean isLeasable() {
    return false;
  }

  @Override
  public BandParameters parameters(long cost) {
    return parameters(BandKind.INTERVAL_BUCKET, cost);
  }

  @Override
  public int sentWords() {
    return 3;
  }

  @Override
  public void complete(long[] view, int v, long now) {}

  @Override
  public long waitMicros(long[] view, int v, long cost) {
    return untilRefilled(excessMicros(view, v, cost), view[v + 2]);
  }

  @Override
  public long resetMicros(long[] view, int v) {
    return untilRefilled(view[v] + (view[v + 1] > 0 ? 1 : 0), view[v + 2]);
  }

  @Override
  public long horizonMicros() {
    return untilRefilled(horizonMicros + (horizonSub > 0 ? 1 : 0), 0);
  }

  /** Returns when the period ends in which {@code micros} of debt are worked off. */
  private long untilRefilled(long micros, long phase) {
    return micros == 0 ? 0 : (micros + period - 1) / period * period - phase;
  }
}
