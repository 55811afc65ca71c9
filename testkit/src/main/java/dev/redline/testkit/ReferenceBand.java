package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.Refill;
import java.math.BigInteger;

/** One band of the {@link ReferenceModel}, as its definition says. */
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

  /** Comes to terms with a clock that stepped back. */
  abstract void meet(long now);

  /** Returns how many are left; below 0 if more is counted than the limit allows. */
  abstract BigInteger left(long now);

  abstract void take(long now, long cost);

  abstract long waitMicros(long now, long cost);

  abstract long resetMicros(long now);

  /** Returns a band in the same state that goes its own way from here. */
  abstract ReferenceBand copy();

  /** Returns what a store that looks at the band now would see. */
  abstract BandState sight(long now);

  /** Goes on from what a store saw. */
  abstract void adopt(long now, BandState seen);

  /** Goes on from a state that a clock far ahead has written, and that nobody has clipped yet. */
  void adoptFromAhead(long now) {
    adopt(now, BandState.of(price(capacity())));
  }

  /** Returns a band of other limits in the same state, which both must keep in the same unit. */
  abstract ReferenceBand under(RateLimitBand other);

  /** Returns all that other limits can owe, in what this band owes. */
  abstract BigInteger most(RateLimitBand other);

  /** Returns what a cost adds to what is owed. */
  abstract BigInteger price(long cost);

  /**
   * Returns what can be seen at {@code to} of this band as it was at {@code from}, if meanwhile, at
   * any time, something was taken or given back.
   */
  abstract BandState.Range between(
      long from, long to, BigInteger taken, BandState leastBack, BandState mostBack);

  /**
   * Returns what of a cost that was taken from this very state at {@code taken} may be given back
   * at {@code back}, as somebody sees it who looks at {@code look}: no more than is still owed.
   */
  abstract BandState returnable(long taken, long cost, long back, long look);

  /** Returns what of it may be given back, whatever else was given back since it was taken. */
  abstract BandState surelyReturnable(long taken, long cost, long back, long look);

  final long remaining(long now) {
    return left(now).max(BigInteger.ZERO).longValueExact();
  }

  final boolean admits(long now, long cost) {
    return BigInteger.valueOf(cost).compareTo(left(now)) <= 0;
  }

  /** Credit grows by refillTokens every microsecond; a token costs as many of it as the period. */
  private static final class Continuous extends ReferenceBand {
    private final BigInteger fullCredit = capacity.multiply(period);
    private BigInteger credit = fullCredit;

    /** The least credit there can be: below 0 if the state was written under larger limits. */
    private BigInteger least = BigInteger.ZERO;

    private long at;

    Continuous(RateLimitBand band) {
      super(band);
    }

    private BigInteger unbounded(long now) {
      return credit.add(BigInteger.valueOf(now - at).multiply(refill));
    }

    private BigInteger credit(long now) {
      return unbounded(now).max(least).min(fullCredit);
    }

    @Override
    void meet(long now) {
      if (unbounded(now).compareTo(least) < 0) {
        credit = least;
        at = now;
      }
    }

    @Override
    BigInteger left(long now) {
      return credit(now).divide(period);
    }

    @Override
    void take(long now, long cost) {
      credit = credit(now).subtract(BigInteger.valueOf(cost).multiply(period));
      at = now;
      least = BigInteger.ZERO;
    }

    @Override
    ReferenceBand copy() {
      Continuous copy = new Continuous(band);
      copy.credit = credit;
      copy.at = at;
      copy.least = least;
      return copy;
    }

    @Override
    void adoptFromAhead(long now) {
      credit = least.subtract(fullCredit.shiftLeft(40));
      at = now;
    }

    @Override
    ReferenceBand under(RateLimitBand other) {
      Continuous copy = new Continuous(other);
      copy.credit = copy.fullCredit.subtract(scaled(fullCredit.subtract(credit), refill, copy));
      copy.least = copy.fullCredit.subtract(scaled(fullCredit.subtract(least), refill, copy));
      copy.at = at;
      return copy;
    }

    private static BigInteger scaled(BigInteger owed, BigInteger refill, ReferenceBand to) {
      return owed.multiply(to.refill).divide(refill);
    }

    @Override
    BigInteger most(RateLimitBand other) {
      Continuous limits = new Continuous(other);
      return scaled(limits.fullCredit, limits.refill, this);
    }

    @Override
    BandState sight(long now) {
      return BandState.of(fullCredit.subtract(credit(now)));
    }

    @Override
    void adopt(long now, BandState seen) {
      credit = fullCredit.subtract(seen.first());
      at = now;
    }

    @Override
    BigInteger price(long cost) {
      return BigInteger.valueOf(cost).multiply(period);
    }

    @Override
    BandState.Range between(
        long from, long to, BigInteger taken, BandState leastBack, BandState mostBack) {
      BigInteger drained = BigInteger.valueOf(to - from).multiply(refill);
      BigInteger early = sight(from).first().add(taken).subtract(drained);
      BigInteger late = sight(to).first().add(taken);
      return new BandState.Range(
          BandState.of(early.subtract(mostBack.first())),
          BandState.of(late.subtract(leastBack.first())));
    }

    @Override
    BandState returnable(long taken, long cost, long back, long look) {
      BigInteger drained = BigInteger.valueOf(back - taken).multiply(refill);
      BigInteger owed = sight(taken).first().add(price(cost)).subtract(drained);
      return BandState.of(owed.min(price(cost)));
    }

    @Override
    BandState surelyReturnable(long taken, long cost, long back, long look) {
      return BandState.of(price(cost).subtract(BigInteger.valueOf(back - taken).multiply(refill)));
    }

    private long until(long now, BigInteger wanted) {
      BigInteger missing = wanted.subtract(credit(now)).max(BigInteger.ZERO);
      return ceilDiv(missing, refill).longValueExact();
    }

    @Override
    long waitMicros(long now, long cost) {
      return until(now, BigInteger.valueOf(cost).multiply(period));
    }

    @Override
    long resetMicros(long now) {
      return until(now, fullCredit);
    }
  }

  /** Whole tokens come at the end of whole periods since the bucket left full. */
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
    void meet(long now) {
      if (!tokens.equals(capacity)) {
        since = since.min(BigInteger.valueOf(now));
      }
    }

    @Override
    BigInteger left(long now) {
      return tokens.add(periods(now).multiply(refill)).min(capacity);
    }

    @Override
    void take(long now, long cost) {
      BigInteger left = left(now);
      since =
          left.equals(capacity)
              ? BigInteger.valueOf(now)
              : since.add(periods(now).multiply(period));
      tokens = left.subtract(BigInteger.valueOf(cost));
    }

    @Override
    ReferenceBand copy() {
      Interval copy = new Interval(band);
      copy.tokens = tokens;
      copy.since = since;
      return copy;
    }

    @Override
    ReferenceBand under(RateLimitBand other) {
      Interval copy = new Interval(other);
      copy.tokens = copy.capacity.subtract(capacity.subtract(tokens));
      copy.since = since;
      return copy;
    }

    @Override
    BigInteger most(RateLimitBand other) {
      return price(other.capacity());
    }

    private boolean isFull(long now) {
      return left(now).equals(capacity);
    }

    private long phase(long now) {
      return isFull(now)
          ? 0
          : BigInteger.valueOf(now).subtract(since).max(BigInteger.ZERO).mod(period).longValue();
    }

    @Override
    BandState sight(long now) {
      return new BandState(
          capacity.subtract(left(now)).multiply(period), BigInteger.valueOf(phase(now)));
    }

    @Override
    void adopt(long now, BandState seen) {
      BigInteger[] taken = seen.first().divideAndRemainder(period);
      if (taken[1].signum() != 0) {
        throw new IllegalArgumentException("a band that refills in whole tokens lacks part of one");
      }
      tokens = capacity.subtract(taken[0]);
      since = BigInteger.valueOf(now).subtract(seen.second());
    }

    @Override
    BigInteger price(long cost) {
      return BigInteger.valueOf(cost).multiply(period);
    }

    private BigInteger drained(long from, long to) {
      BigInteger time = BigInteger.valueOf(to - from + phase(from));
      return time.divide(period).multiply(refill).multiply(period);
    }

    @Override
    BandState.Range between(
        long from, long to, BigInteger taken, BandState leastBack, BandState mostBack) {
      BigInteger early = sight(from).first().add(taken).subtract(drained(from, to));
      BigInteger late = sight(to).first().add(taken);
      return new BandState.Range(
          new BandState(early.subtract(mostBack.first()), BigInteger.ZERO),
          new BandState(late.subtract(leastBack.first()), period));
    }

    @Override
    BandState returnable(long taken, long cost, long back, long look) {
      BigInteger owed = sight(taken).first().add(price(cost)).subtract(drained(taken, back));
      return BandState.of(owed.min(price(cost)));
    }

    @Override
    BandState surelyReturnable(long taken, long cost, long back, long look) {
      return BandState.NOTHING;
    }

    @Override
    long waitMicros(long now, long cost) {
      BigInteger missing = BigInteger.valueOf(cost).subtract(left(now));
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
