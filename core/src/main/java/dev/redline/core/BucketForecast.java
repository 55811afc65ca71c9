package dev.redline.core;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;

/**
 * A copy of one bucket as a store last showed it, to work out when a cost will be allowed if no
 * other caller acquires. Time is the store's, in microseconds; it is told by the local clock from
 * the moment the outcome arrived, so it may lag behind the store, and a wait is never too short.
 */
final class BucketForecast {
  private final BucketLimits limits;
  private final long[] state;
  private final long[] view;
  private final long shownAtNanos;
  private final long shownAtMicros;
  private long micros;

  private BucketForecast(BucketLimits limits, long[] state, long shownAtNanos, long shownAtMicros) {
    this.limits = limits;
    this.state = state;
    this.view = new long[limits.arithmetic().viewWords()];
    this.shownAtNanos = shownAtNanos;
    this.shownAtMicros = shownAtMicros;
    this.micros = shownAtMicros;
  }

  /**
   * Copies the bucket of key {@code i} from an outcome that does not count as a decision yet.
   *
   * @param nanos the local time at which the outcome arrived
   */
  static BucketForecast of(Acquisition acquired, int i, Outcome outcome, long nanos) {
    BucketLimits limits = acquired.key(i).limits();
    BucketForecast forecast =
        new BucketForecast(limits, new long[limits.stateWords()], nanos, outcome.nowMicros(i));
    long cost = outcome.allowed() && outcome.passed(i) && !acquired.dryRun() ? acquired.cost(i) : 0;
    limits
        .arithmetic()
        .take(forecast.state, 0, forecast.micros, outcome.views(), firstView(acquired, i), cost);
    return forecast;
  }

  private static int firstView(Acquisition acquired, int i) {
    BandCursor at = new BandCursor(acquired);
    while (at.key() < i) {
      at.nextKey();
    }
    return at.view();
  }

  private void read() {
    limits.arithmetic().view(state, 0, micros, view, 0);
  }

  /** Returns a copy that can be taken from independently. */
  BucketForecast copy() {
    BucketForecast copy = new BucketForecast(limits, state.clone(), shownAtNanos, shownAtMicros);
    copy.micros = micros;
    return copy;
  }

  private long microsAt(long nanos) {
    return shownAtMicros + Math.max(0, nanos - shownAtNanos) / 1000;
  }

  /** Moves on to a local time, unless the forecast is of a later one. */
  void moveTo(long nanos) {
    micros = Math.max(micros, microsAt(nanos));
  }

  /** Moves on to when {@code cost} is admitted; a cost above the capacity counts as all of it. */
  void moveToAdmission(long cost) {
    read();
    micros += limits.arithmetic().waitMicros(view, 0, cost);
  }

  /** Takes {@code cost}, which has to be admitted by now. */
  void take(long cost) {
    read();
    limits.arithmetic().take(state, 0, micros, view, 0, cost);
  }

  /** Returns how many nanoseconds lie between a local time and this forecast. */
  long nanosFrom(long nanos) {
    return Math.max(0, micros - microsAt(nanos)) * 1000;
  }

  /** Returns the bucket at this moment as the denial of key {@code i}; other keys are not seen. */
  Outcome asDenial(Acquisition acquired, int i) {
    read();
    Outcome outcome = new Outcome();
    outcome.reset(acquired.bands());
    System.arraycopy(view, 0, outcome.views(), firstView(acquired, i), view.length);
    for (int other = 0; other < acquired.size(); other++) {
      if (other != i) {
        outcome.unseen(other);
      }
    }
    outcome.decide(false, micros);
    return outcome;
  }
}
