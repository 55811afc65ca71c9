package dev.redline.core.internal.limit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.math.BigInteger;
import java.util.function.LongPredicate;

/**
 * What a band means, in integers of any size: unreduced fractions, and every "how long until" found
 * by search instead of by formula. Shares nothing with the arithmetic it judges.
 */
abstract class ExactBand {
  final BigInteger capacity;
  final BigInteger period;
  final BigInteger refill;
  final long periodMicros;

  ExactBand(RateLimitBand band) {
    this.capacity = big(band.capacity());
    this.period = big(band.periodMicros());
    this.refill = big(band.refillTokens());
    this.periodMicros = band.periodMicros();
  }

  static ExactBand of(RateLimitBand band) {
    return switch (band.algorithm()) {
      case TOKEN_BUCKET ->
          band.refill() == Refill.CONTINUOUS ? new Continuous(band) : new Interval(band);
      case SLIDING_WINDOW -> new Sliding(band);
      case FIXED_WINDOW -> new Fixed(band);
    };
  }

  static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  /** Comes to terms with a clock that stepped back, as every decision does that may write. */
  abstract void meet(long now);

  abstract BigInteger remaining(long now);

  abstract void take(long now, long cost);

  abstract long reset(long now);

  abstract boolean isFull(long now);

  boolean admits(long now, long cost) {
    return big(cost).compareTo(remaining(now)) <= 0;
  }

  /** Returns the fewest microseconds after which {@code cost} is admitted. */
  long waitFor(long now, long cost) {
    return first(micros -> admits(now + micros, cost));
  }

  /** Returns the least number that satisfies a condition which, once satisfied, stays so. */
  static long first(LongPredicate condition) {
    if (condition.test(0)) {
      return 0;
    }
    long no = 0;
    long yes = 1;
    while (!condition.test(yes)) {
      no = yes;
      yes *= 2;
    }
    while (yes - no > 1) {
      long middle = no + (yes - no) / 2;
      if (condition.test(middle)) {
        yes = middle;
      } else {
        no = middle;
      }
    }
    return yes;
  }

  /** Debt in units of 1/refill µs, unreduced. */
  private static final class Continuous extends ExactBand {
    private final BigInteger horizon = capacity.multiply(period);
    private BigInteger fullAt = big(Long.MIN_VALUE).multiply(refill);

    Continuous(RateLimitBand band) {
      super(band);
    }

    private BigInteger debt(long now) {
      return fullAt.subtract(big(now).multiply(refill)).max(BigInteger.ZERO).min(horizon);
    }

    @Override
    void meet(long now) {
      fullAt = fullAt.min(big(now).multiply(refill).add(horizon));
    }

    @Override
    BigInteger remaining(long now) {
      return horizon.subtract(debt(now)).divide(period);
    }

    @Override
    void take(long now, long cost) {
      fullAt = big(now).multiply(refill).add(debt(now)).add(big(cost).multiply(period));
    }

    @Override
    long reset(long now) {
      return first(micros -> debt(now + micros).signum() == 0);
    }

    @Override
    boolean isFull(long now) {
      return debt(now).signum() == 0;
    }
  }

  /** Whole tokens, and when the running period began. */
  private static final class Interval extends ExactBand {
    private BigInteger level = capacity;
    private long anchor;

    Interval(RateLimitBand band) {
      super(band);
    }

    private BigInteger periods(long now) {
      return big(Math.max(0, now - anchor) / periodMicros);
    }

    @Override
    void meet(long now) {
      anchor = level.equals(capacity) ? anchor : Math.min(anchor, now);
    }

    @Override
    BigInteger remaining(long now) {
      return level.add(periods(now).multiply(refill)).min(capacity);
    }

    @Override
    void take(long now, long cost) {
      BigInteger left = remaining(now);
      anchor = left.equals(capacity) ? now : anchor + periods(now).longValueExact() * periodMicros;
      level = left.subtract(big(cost));
    }

    @Override
    long reset(long now) {
      return first(micros -> isFull(now + micros));
    }

    @Override
    boolean isFull(long now) {
      return remaining(now).equals(capacity);
    }
  }

  /** What both windows count. */
  private abstract static class Window extends ExactBand {
    long index = Long.MIN_VALUE;
    BigInteger current = BigInteger.ZERO;
    BigInteger previous = BigInteger.ZERO;

    Window(RateLimitBand band) {
      super(band);
    }

    @Override
    void meet(long now) {
      index = Math.min(index, Math.floorDiv(now, periodMicros));
    }

    BigInteger current(long now) {
      return index == Math.floorDiv(now, periodMicros) ? current : BigInteger.ZERO;
    }

    BigInteger previous(long now) {
      long at = Math.floorDiv(now, periodMicros);
      return at == index ? previous : at - 1 == index ? current : BigInteger.ZERO;
    }

    @Override
    void take(long now, long cost) {
      BigInteger before = previous(now);
      current = current(now).add(big(cost));
      previous = before;
      index = Math.floorDiv(now, periodMicros);
    }

    @Override
    long reset(long now) {
      return first(
          micros -> Math.floorDiv(now + micros, periodMicros) > Math.floorDiv(now, periodMicros));
    }
  }

  private static final class Fixed extends Window {
    Fixed(RateLimitBand band) {
      super(band);
    }

    @Override
    BigInteger remaining(long now) {
      return capacity.subtract(current(now));
    }

    @Override
    boolean isFull(long now) {
      return current(now).signum() == 0;
    }
  }

  private static final class Sliding extends Window {
    private final BigInteger quantum;
    private final BigInteger steps;

    Sliding(RateLimitBand band) {
      super(band);
      quantum = ceilDiv(capacity.multiply(period), BigInteger.TWO.pow(50)).max(BigInteger.ONE);
      steps = ceilDiv(period, quantum);
    }

    private static BigInteger ceilDiv(BigInteger a, BigInteger b) {
      return a.add(b).subtract(BigInteger.ONE).divide(b);
    }

    @Override
    BigInteger remaining(long now) {
      BigInteger elapsed = big(Math.floorMod(now, periodMicros)).divide(quantum);
      BigInteger covered = previous(now).multiply(steps.subtract(elapsed));
      BigInteger room =
          capacity.multiply(steps).subtract(covered).subtract(current(now).multiply(steps));
      return room.max(BigInteger.ZERO).divide(steps);
    }

    @Override
    boolean isFull(long now) {
      return current(now).signum() == 0 && previous(now).signum() == 0;
    }
  }
}
