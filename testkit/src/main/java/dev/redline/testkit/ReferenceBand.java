package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigInteger;

/**
 * One band of the {@link ReferenceModel}, written after the definition of its algorithm. Times are
 * in µs since the epoch. The debt of a band is its capacity minus what is available.
 */
abstract class ReferenceBand {
  final RateLimitBand band;
  final BigInteger capacity;
  final BigInteger refill;
  final BigInteger period;

  ReferenceBand(RateLimitBand band) {
    this.band = band;
    this.capacity = BigInteger.valueOf(band.capacity());
    this.refill = BigInteger.valueOf(band.refillTokens());
    this.period = BigInteger.valueOf(band.periodMicros());
  }

  static ReferenceBand of(RateLimitBand band) {
    return switch (band.algorithm()) {
      case TOKEN_BUCKET ->
          band.refill() == Refill.CONTINUOUS ? new Continuous(band) : new Interval(band);
      case SLIDING_WINDOW -> new ReferenceWindow.Sliding(band);
      case FIXED_WINDOW -> new ReferenceWindow.Fixed(band);
    };
  }

  static BigInteger ceilDiv(BigInteger a, BigInteger b) {
    return a.add(b).subtract(BigInteger.ONE).divide(b);
  }

  final long capacity() {
    return capacity.longValueExact();
  }

  /**
   * Adjusts the state if the clock stepped back, so that no caller waits for longer than to full.
   */
  abstract void onClockStep(long now);

  /** Returns how many tokens are available; negative if more is counted than the limit allows. */
  abstract BigInteger available(long now);

  abstract void acquire(long now, long cost);

  /** Gives back a cost that was acquired at a time before; at most to full. */
  void refund(long now, long acquired, long cost) {
    BandState state = state(now);
    setState(now, new BandState(state.first().subtract(debtOf(cost)), state.second()));
  }

  abstract long waitMicros(long now, long cost);

  abstract long resetMicros(long now);

  /** Returns an independent copy. */
  abstract ReferenceBand copy();

  /** Returns the state that a store would report. */
  abstract BandState state(long now);

  /** Replaces the state with one that a store reported. */
  abstract void setState(long now, BandState state);

  /** Sets the state that a clock far ahead wrote, before an acquisition has corrected it. */
  void setStateOfClockAhead(long now) {
    setState(now, BandState.of(debtOf(capacity())));
  }

  /** Returns a band with other limits in the same state; both must store it in the same unit. */
  abstract ReferenceBand withLimits(RateLimitBand other);

  /** Returns the largest debt under other limits, in the unit of this band. */
  abstract BigInteger maxDebt(RateLimitBand other);

  /** Returns the debt that a cost adds. */
  abstract BigInteger debtOf(long cost);

  /**
   * Returns the possible states at {@code to} of this band, whose state is that of {@code from}, if
   * in between, at any time, debt was acquired and refunded.
   */
  abstract BandState.Range possibleStates(
      long from, long to, BigInteger acquired, BandState minRefund, BandState maxRefund);

  /**
   * Returns the largest refund, as observed at {@code observedAt}, of a cost that was acquired from
   * this state at {@code acquired} and refunded at {@code refundedAt}: at most the debt that is
   * left then.
   */
  abstract BandState maxRefund(long acquired, long cost, long refundedAt, long observedAt);

  /** Returns the smallest such refund, if other refunds arrived before it. */
  abstract BandState minRefund(long acquired, long cost, long refundedAt, long observedAt);

  final long remaining(long now) {
    return available(now).max(BigInteger.ZERO).longValueExact();
  }

  final boolean allows(long now, long cost) {
    return BigInteger.valueOf(cost).compareTo(available(now)) <= 0;
  }

  /** Continuous refill: credit grows by refillTokens per µs, and a token costs one period of it. */
  private static final class Continuous extends ReferenceBand {
    private final BigInteger fullCredit = capacity.multiply(period);
    private BigInteger credit = fullCredit;

    /** The smallest possible credit: negative if the state was written under larger limits. */
    private BigInteger minCredit = BigInteger.ZERO;

    private long at;

    Continuous(RateLimitBand band) {
      super(band);
    }

    private BigInteger unclampedCredit(long now) {
      return credit.add(BigInteger.valueOf(now - at).multiply(refill));
    }

    private BigInteger credit(long now) {
      return unclampedCredit(now).max(minCredit).min(fullCredit);
    }

    @Override
    void onClockStep(long now) {
      if (unclampedCredit(now).compareTo(minCredit) < 0) {
        credit = minCredit;
        at = now;
      }
    }

    @Override
    BigInteger available(long now) {
      return credit(now).divide(period);
    }

    @Override
    void acquire(long now, long cost) {
      credit = credit(now).subtract(BigInteger.valueOf(cost).multiply(period));
      at = now;
      minCredit = BigInteger.ZERO;
    }

    @Override
    ReferenceBand copy() {
      Continuous copy = new Continuous(band);
      copy.credit = credit;
      copy.at = at;
      copy.minCredit = minCredit;
      return copy;
    }

    @Override
    void setStateOfClockAhead(long now) {
      credit = minCredit.subtract(fullCredit.shiftLeft(40));
      at = now;
    }

    @Override
    ReferenceBand withLimits(RateLimitBand other) {
      Continuous copy = new Continuous(other);
      copy.credit = copy.fullCredit.subtract(scaled(fullCredit.subtract(credit), refill, copy));
      copy.minCredit =
          copy.fullCredit.subtract(scaled(fullCredit.subtract(minCredit), refill, copy));
      copy.at = at;
      return copy;
    }

    private static BigInteger scaled(BigInteger owed, BigInteger refill, ReferenceBand to) {
      return owed.multiply(to.refill).divide(refill);
    }

    @Override
    BigInteger maxDebt(RateLimitBand other) {
      Continuous limits = new Continuous(other);
      return scaled(limits.fullCredit, limits.refill, this);
    }

    @Override
    BandState state(long now) {
      return BandState.of(fullCredit.subtract(credit(now)));
    }

    @Override
    void setState(long now, BandState state) {
      credit = fullCredit.subtract(state.first());
      at = now;
    }

    @Override
    BigInteger debtOf(long cost) {
      return BigInteger.valueOf(cost).multiply(period);
    }

    @Override
    BandState.Range possibleStates(
        long from, long to, BigInteger acquired, BandState minRefund, BandState maxRefund) {
      BigInteger refilled = BigInteger.valueOf(to - from).multiply(refill);
      BigInteger min = state(from).first().add(acquired).subtract(refilled);
      BigInteger max = state(to).first().add(acquired);
      return new BandState.Range(
          BandState.of(min.subtract(maxRefund.first())),
          BandState.of(max.subtract(minRefund.first())));
    }

    @Override
    BandState maxRefund(long acquired, long cost, long refundedAt, long observedAt) {
      BigInteger refilled = BigInteger.valueOf(refundedAt - acquired).multiply(refill);
      BigInteger owed = state(acquired).first().add(debtOf(cost)).subtract(refilled);
      return BandState.of(owed.min(debtOf(cost)));
    }

    @Override
    BandState minRefund(long acquired, long cost, long refundedAt, long observedAt) {
      return BandState.of(
          debtOf(cost).subtract(BigInteger.valueOf(refundedAt - acquired).multiply(refill)));
    }

    private long microsUntil(long now, BigInteger target) {
      BigInteger missing = target.subtract(credit(now)).max(BigInteger.ZERO);
      return ceilDiv(missing, refill).longValueExact();
    }

    @Override
    long waitMicros(long now, long cost) {
      return microsUntil(now, BigInteger.valueOf(cost).multiply(period));
    }

    @Override
    long resetMicros(long now) {
      return microsUntil(now, fullCredit);
    }
  }

  /** Interval refill: whole tokens arrive at the end of each period since the bucket was full. */
  private static final class Interval extends ReferenceBand {
    private BigInteger tokens = capacity;
    private BigInteger since = BigInteger.ZERO;

    Interval(RateLimitBand band) {
      super(band);
    }

    private BigInteger periods(long now) {
      return BigInteger.valueOf(now).subtract(since).max(BigInteger.ZERO).divide(period);
    }

    @Override
    void onClockStep(long now) {
      if (!tokens.equals(capacity)) {
        since = since.min(BigInteger.valueOf(now));
      }
    }

    @Override
    BigInteger available(long now) {
      return tokens.add(periods(now).multiply(refill)).min(capacity);
    }

    @Override
    void acquire(long now, long cost) {
      BigInteger available = available(now);
      since =
          available.equals(capacity)
              ? BigInteger.valueOf(now)
              : since.add(periods(now).multiply(period));
      tokens = available.subtract(BigInteger.valueOf(cost));
    }

    @Override
    ReferenceBand copy() {
      Interval copy = new Interval(band);
      copy.tokens = tokens;
      copy.since = since;
      return copy;
    }

    @Override
    ReferenceBand withLimits(RateLimitBand other) {
      Interval copy = new Interval(other);
      copy.tokens = copy.capacity.subtract(capacity.subtract(tokens));
      copy.since = since;
      return copy;
    }

    @Override
    BigInteger maxDebt(RateLimitBand other) {
      return debtOf(other.capacity());
    }

    private boolean isFull(long now) {
      return available(now).equals(capacity);
    }

    private long phase(long now) {
      return isFull(now)
          ? 0
          : BigInteger.valueOf(now).subtract(since).max(BigInteger.ZERO).mod(period).longValue();
    }

    @Override
    BandState state(long now) {
      return new BandState(
          capacity.subtract(available(now)).multiply(period), BigInteger.valueOf(phase(now)));
    }

    @Override
    void setState(long now, BandState state) {
      BigInteger[] acquired = state.first().divideAndRemainder(period);
      if (acquired[1].signum() != 0) {
        throw new IllegalArgumentException("a band with interval refill has a fraction of a token");
      }
      tokens = capacity.subtract(acquired[0]);
      since = BigInteger.valueOf(now).subtract(state.second());
    }

    @Override
    BigInteger debtOf(long cost) {
      return BigInteger.valueOf(cost).multiply(period);
    }

    private BigInteger refilled(long from, long to) {
      BigInteger time = BigInteger.valueOf(to - from + phase(from));
      return time.divide(period).multiply(refill).multiply(period);
    }

    @Override
    BandState.Range possibleStates(
        long from, long to, BigInteger acquired, BandState minRefund, BandState maxRefund) {
      BigInteger min = state(from).first().add(acquired).subtract(refilled(from, to));
      BigInteger max = state(to).first().add(acquired);
      return new BandState.Range(
          new BandState(min.subtract(maxRefund.first()), BigInteger.ZERO),
          new BandState(max.subtract(minRefund.first()), period));
    }

    @Override
    BandState maxRefund(long acquired, long cost, long refundedAt, long observedAt) {
      BigInteger owed =
          state(acquired).first().add(debtOf(cost)).subtract(refilled(acquired, refundedAt));
      return BandState.of(owed.min(debtOf(cost)));
    }

    @Override
    BandState minRefund(long acquired, long cost, long refundedAt, long observedAt) {
      return BandState.ZERO;
    }

    @Override
    long waitMicros(long now, long cost) {
      BigInteger missing = BigInteger.valueOf(cost).subtract(available(now));
      if (missing.signum() <= 0) {
        return 0;
      }
      BigInteger more = periods(now).add(ceilDiv(missing, refill));
      BigInteger end = since.max(BigInteger.ZERO).add(more.multiply(period));
      return end.subtract(BigInteger.valueOf(now)).longValueExact();
    }

    @Override
    long resetMicros(long now) {
      return waitMicros(now, capacity());
    }
  }
}
