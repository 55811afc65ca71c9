package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** A band of the {@link ReferenceModel} that counts per epoch-aligned window. */
abstract class ReferenceWindow extends ReferenceBand {
  private final Map<Long, BigInteger> counts = new HashMap<>();
  private final long length;
  private long latest = Long.MIN_VALUE;

  private ReferenceWindow(RateLimitBand band) {
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

  /** Returns whether the window before counts too. */
  abstract boolean slides();

  abstract ReferenceWindow fresh();

  @Override
  ReferenceBand under(RateLimitBand other) {
    ReferenceWindow copy = (ReferenceWindow) of(other);
    copy.counts.putAll(counts);
    copy.latest = latest;
    return copy;
  }

  @Override
  BigInteger most(RateLimitBand other) {
    return price(other.capacity());
  }

  @Override
  ReferenceBand copy() {
    ReferenceWindow copy = fresh();
    copy.counts.putAll(counts);
    copy.latest = latest;
    return copy;
  }

  @Override
  BandState sight(long now) {
    return new BandState(count(index(now)), slides() ? count(index(now) - 1) : BigInteger.ZERO);
  }

  @Override
  void adopt(long now, BandState seen) {
    counts.clear();
    latest = index(now);
    counts.put(latest, seen.first());
    counts.put(latest - 1, seen.second());
  }

  @Override
  BigInteger price(long cost) {
    return BigInteger.valueOf(cost);
  }

  @Override
  BandState.Range between(
      long from, long to, BigInteger taken, BandState leastBack, BandState mostBack) {
    boolean rolled = index(to) != index(from);
    BigInteger atLeast = rolled ? BigInteger.ZERO : taken;
    BigInteger before = rolled && slides() ? taken : BigInteger.ZERO;
    BandState seen = sight(to);
    return new BandState.Range(
        new BandState(
            seen.first().add(atLeast).subtract(mostBack.first()),
            seen.second().subtract(mostBack.second())),
        new BandState(
            seen.first().add(taken).subtract(leastBack.first()),
            seen.second().add(before).subtract(leastBack.second())));
  }

  @Override
  BandState returnable(long taken, long cost, long back, long look) {
    long age = index(look) - index(taken);
    return new BandState(
        age == 0 ? price(cost) : BigInteger.ZERO,
        age == 1 && slides() ? price(cost) : BigInteger.ZERO);
  }

  @Override
  BandState surelyReturnable(long taken, long cost, long back, long look) {
    return returnable(taken, cost, back, look);
  }

  @Override
  long resetMicros(long now) {
    return length - elapsed(now);
  }

  static final class Fixed extends ReferenceWindow {
    Fixed(RateLimitBand band) {
      super(band);
    }

    @Override
    boolean slides() {
      return false;
    }

    @Override
    ReferenceWindow fresh() {
      return new Fixed(band);
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
  static final class Sliding extends ReferenceWindow {
    private final BigInteger quantum =
        ceilDiv(capacity.multiply(period), BigInteger.TWO.pow(50)).max(BigInteger.ONE);
    private final BigInteger steps = ceilDiv(period, quantum);

    Sliding(RateLimitBand band) {
      super(band);
    }

    @Override
    boolean slides() {
      return true;
    }

    @Override
    ReferenceWindow fresh() {
      return new Sliding(band);
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
