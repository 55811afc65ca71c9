package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import java.math.BigInteger;

/**
 * A token bucket that refills evenly. State: the moment it is full again, as µs and a numerator
 * over R, with refillTokens/period reduced to R/P.
 */
public final class ContinuousBucket extends TokenBucketArithmetic {
  /** The longest time a process is assumed to be up when state is packed into one word. */
  private static final long UPTIME_MICROS = 30L * 366 * 86_400 * 1_000_000;

  private static final BigInteger PACKED_LIMIT = BigInteger.ONE.shiftLeft(61);

  private final boolean fitsOneWord;

  ContinuousBucket(RateLimitBand band, boolean shared) {
    this(band, shared, gcd(band.refillTokens(), band.periodMicros()));
  }

  private ContinuousBucket(RateLimitBand band, boolean shared, long divisor) {
    super(band, shared, band.refillTokens() / divisor, band.periodMicros() / divisor);
    BigInteger micros = BigInteger.valueOf(horizonMicros).add(BigInteger.valueOf(UPTIME_MICROS));
    this.fitsOneWord = micros.multiply(BigInteger.valueOf(tokens)).compareTo(PACKED_LIMIT) < 0;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Returns R, the denominator of the time unit: state is counted in 1/R µs. */
  public long unitsPerMicro() {
    return tokens;
  }

  /** Returns P, how many units of 1/R µs a token lasts. */
  public long unitsPerToken() {
    return period;
  }

  /**
   * Returns whether the state fits one word of 62 bits, counted in 1/R µs since a process start.
   */
  public boolean fitsOneWord() {
    return fitsOneWord;
  }

  /** Time is counted in 1/R µs; most rates divide a microsecond evenly, and R is 1. */
  @Override
  public String stateUnit() {
    return "continuous/" + tokens;
  }

  @Override
  public int stateWords() {
    return 2;
  }

  @Override
  public void fill(long[] state, int s) {
    state[s] = SINCE_EVER;
    state[s + 1] = 0;
  }

  @Override
  public boolean view(long[] state, int s, long now, long[] view, int v) {
    view[v + 2] = 0;
    return viewDebt(state[s] - now, state[s + 1], view, v);
  }

  @Override
  public void take(long[] state, int s, long now, long[] view, int v, long cost) {
    long sub = view[v + 1] + subMicros(cost);
    long carry = sub >= tokens ? 1 : 0;
    state[s] = now + view[v] + wholeMicros(cost) + carry;
    state[s + 1] = sub - carry * tokens;
  }

  @Override
  public boolean refund(
      long[] state, int s, long now, long[] view, int v, long takenAt, long cost) {
    return refundDebt(state, s, now, takenAt + view[v], view[v + 1], cost);
  }

  @Override
  public void merge(long[] view, int v, long[] other, int o) {
    mergeDebt(view, v, other, o);
  }

  @Override
  public boolean isLeasable() {
    return true;
  }

  @Override
  public BandParameters parameters(long cost) {
    return parameters(BandKind.CONTINUOUS_BUCKET, cost);
  }

  @Override
  public int sentWords() {
    return tokens == 1 ? 1 : 2;
  }

  @Override
  public void complete(long[] view, int v, long now) {
    view[v + 1] = tokens == 1 ? 0 : view[v + 1];
    view[v + 2] = 0;
  }

  @Override
  public long waitMicros(long[] view, int v, long cost) {
    return excessMicros(view, v, cost);
  }

  @Override
  public long resetMicros(long[] view, int v) {
    return view[v] + (view[v + 1] > 0 ? 1 : 0);
  }

  @Override
  public long horizonMicros() {
    return horizonMicros + (horizonSub > 0 ? 1 : 0);
  }
}
