package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.Refill;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** One band of the {@link ReferenceModel}, as its definition says. */
abstract class ReferenceBand {
  final BigInteger capacity;
  final BigInteger refill;
  final BigInteger period;

  private ReferenceBand(RateLimitBand band) {
    this.capacity = BigInteger.valueOf(band.capacity());
    this.refill = BigInteger.valueOf(band.refillTokens());
    this.period = BigInteger.valueOf(band.periodMicros());
  }

  static ReferenceBand of(RateLimitBand band) {
    return switch (band.algorithm()) {
      case TOKEN_BUCKET ->
          band.refill() == Refill.CONTINUOUS ? new Continuous(band) : new Interval(band);
      case SLIDING_WINDOW -> new Sliding(band);
      case FIXED_WINDOW -> new Fixed(band);
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
    private long at;

    Continuous(RateLimitBand band) {
      super(band);
    }

    private BigInteger unbounded(long now) {
      return credit.add(BigInteger.valueOf(now - at).multiply(refill));
    }

    private BigInteger credit(long now) {
      return unbounded(now).max(BigInteger.ZERO).min(fullCredit);
    }

    @Override
    void meet(long now) {
      if (unbounded(now).signum() < 0) {
        credit = BigInteger.ZERO;
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

  /** Counts per epoch-aligned window. */
  private abstract static class Window extends ReferenceBand {
    private final Map<Long, BigInteger> counts = new HashMap<>();
    private final long length;
    private long latest = Long.MIN_VALUE;

    Window(RateLimitBand band) {
      super(band);
      this.length = band.periodMicros();
    }

    final long index(long now) {
      return Math.floorDiv(now, length);
    }

    final long elapsed(long now) {
      return Math.floorMod(now, length);
    }

    final BigInteger count(long index) {
      return counts.getOrDefault(index, BigInteger.ZERO);
    }

    /** Lets windows that lie in the future be the current one and the one before. */
    @Override
    void meet(long now) {
      if (latest > index(now)) {
        BigInteger current = count(latest);
        BigInteger previous = count(latest - 1);
        counts.clear();
        latest = index(now);
        counts.put(latest, current);
        counts.put(latest - 1, previous);
      }
    }

    @Override
    void take(long now, long cost) {
      latest = index(now);
      counts.merge(latest, BigInteger.valueOf(cost), BigInteger::add);
    }

    @Override
    long resetMicros(long now) {
      return length - elapsed(now);
    }
  }

  private static final class Fixed extends Window {
    Fixed(RateLimitBand band) {
      super(band);
    }

    @Override
    BigInteger left(long now) {
      return capacity.subtract(count(index(now)));
    }

    @Override
    long waitMicros(long now, long cost) {
      return admits(now, cost) ? 0 : resetMicros(now);
    }
  }

  /** The previous window counts by the steps of it that a window ending now still covers. */
  private static final class Sliding extends Window {
    private final BigInteger quantum =
        ceilDiv(capacity.multiply(period), BigInteger.TWO.pow(50)).max(BigInteger.ONE);
    private final BigInteger steps = ceilDiv(period, quantum);

    Sliding(RateLimitBand band) {
      super(band);
    }

    @Override
    BigInteger left(long now) {
      BigInteger passed = BigInteger.valueOf(elapsed(now)).divide(quantum);
      BigInteger counted =
          count(index(now) - 1)
              .multiply(steps.subtract(passed))
              .add(count(index(now)).multiply(steps));
      BigInteger free = capacity.multiply(steps).subtract(counted);
      return free.max(BigInteger.ZERO).divide(steps);
    }

    /** Halves the two windows after which nothing counts any more, until one moment is left. */
    @Override
    long waitMicros(long now, long cost) {
      long refused = -1;
      long admitted = period.longValueExact() * 2;
      while (admitted - refused > 1) {
        long middle = refused + (admitted - refused) / 2;
        if (admits(now + middle, cost)) {
          admitted = middle;
        } else {
          refused = middle;
        }
      }
      return admitted;
    }
  }
}
