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

  /** Moves counts of future windows to the current and the previous window. */
  @Override
  void onClockStep(long now) {
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
  void acquire(long now, long cost) {
    latest = index(now);
    counts.merge(latest, BigInteger.valueOf(cost), BigInteger::add);
  }

  @Override
  void refund(long now, long acquired, long cost) {
    counts.computeIfPresent(
        index(acquired),
        (index, count) -> count.subtract(BigInteger.valueOf(cost)).max(BigInteger.ZERO));
  }

  /** Returns whether the previous window counts, too. */
  abstract boolean isSliding();

  abstract ReferenceWindow empty();

  @Override
  ReferenceBand withLimits(RateLimitBand other) {
    ReferenceWindow copy = (ReferenceWindow) of(other);
    copy.counts.putAll(counts);
    copy.latest = latest;
    return copy;
  }

  @Override
  BigInteger maxDebt(RateLimitBand other) {
    return debtOf(other.capacity());
  }

  @Override
  ReferenceBand copy() {
    ReferenceWindow copy = empty();
    copy.counts.putAll(counts);
    copy.latest = latest;
    return copy;
  }

  @Override
  BandState state(long now) {
    return new BandState(count(index(now)), isSliding() ? count(index(now) - 1) : BigInteger.ZERO);
  }

  @Override
  void setState(long now, BandState state) {
    counts.clear();
    latest = index(now);
    counts.put(latest, state.first());
    counts.put(latest - 1, state.second());
  }

  @Override
  BigInteger debtOf(long cost) {
    return BigInteger.valueOf(cost);
  }

  @Override
  BandState.Range possibleStates(
      long from, long to, BigInteger acquired, BandState minRefund, BandState maxRefund) {
    boolean windowChanged = index(to) != index(from);
    BigInteger minCount = windowChanged ? BigInteger.ZERO : acquired;
    BigInteger inPrevious = windowChanged && isSliding() ? acquired : BigInteger.ZERO;
    BandState state = state(to);
    return new BandState.Range(
        new BandState(
            state.first().add(minCount).subtract(maxRefund.first()),
            state.second().subtract(maxRefund.second())),
        new BandState(
            state.first().add(acquired).subtract(minRefund.first()),
            state.second().add(inPrevious).subtract(minRefund.second())));
  }

  @Override
  BandState maxRefund(long acquired, long cost, long refundedAt, long observedAt) {
    long age = index(observedAt) - index(acquired);
    return new BandState(
        age == 0 ? debtOf(cost) : BigInteger.ZERO,
        age == 1 && isSliding() ? debtOf(cost) : BigInteger.ZERO);
  }

  @Override
  BandState minRefund(long acquired, long cost, long refundedAt, long observedAt) {
    return maxRefund(acquired, cost, refundedAt, observedAt);
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
    boolean isSliding() {
      return false;
    }

    @Override
    ReferenceWindow empty() {
      return new Fixed(band);
    }

    @Override
    BigInteger available(long now) {
      return capacity.subtract(count(index(now)));
    }

    @Override
    long waitMicros(long now, long cost) {
      return allows(now, cost) ? 0 : resetMicros(now);
    }
  }

  /**
   * Sliding window counter: the count of the previous window is weighted with the share of it that
   * a window ending now covers, in steps of a quantum.
   */
  static final class Sliding extends ReferenceWindow {
    private final BigInteger quantum =
        ceilDiv(capacity.multiply(period), BigInteger.TWO.pow(50)).max(BigInteger.ONE);
    private final BigInteger steps = ceilDiv(period, quantum);

    Sliding(RateLimitBand band) {
      super(band);
    }

    @Override
    boolean isSliding() {
      return true;
    }

    @Override
    ReferenceWindow empty() {
      return new Sliding(band);
    }

    @Override
    BigInteger available(long now) {
      BigInteger passed = BigInteger.valueOf(elapsed(now)).divide(quantum);
      BigInteger counted =
          count(index(now) - 1)
              .multiply(steps.subtract(passed))
              .add(count(index(now)).multiply(steps));
      BigInteger free = capacity.multiply(steps).subtract(counted);
      return free.max(BigInteger.ZERO).divide(steps);
    }

    /** Finds the wait by bisection; after two windows nothing counts any more. */
    @Override
    long waitMicros(long now, long cost) {
      long denied = -1;
      long allowed = period.longValueExact() * 2;
      while (allowed - denied > 1) {
        long middle = denied + (allowed - denied) / 2;
        if (allows(now + middle, cost)) {
          allowed = middle;
        } else {
          denied = middle;
        }
      }
      return allowed;
    }
  }
}
