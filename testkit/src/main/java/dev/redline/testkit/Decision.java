package dev.redline.testkit;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** The outcome of a store, with the numbers that the contract checks. */
final class Decision {
  private final Acquisition acquisition;
  private final Outcome outcome;
  private final long[] viewsAfter;

  private Decision(Acquisition acquisition, Outcome outcome, long[] viewsAfter) {
    this.acquisition = acquisition;
    this.outcome = outcome;
    this.viewsAfter = viewsAfter;
  }

  static Decision of(Acquisition acquisition, Outcome outcome) {
    long[] after = outcome.views().clone();
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      if (outcome.allowed() && outcome.passed(at.key()) && !acquisition.dryRun()) {
        at.bucket().advance(after, at.view(), at.cost());
      }
    }
    return new Decision(acquisition, outcome, after);
  }

  Acquisition acquisition() {
    return acquisition;
  }

  /** Returns when the store decided, in microseconds since the epoch. */
  long nowMicros() {
    return outcome.nowMicros();
  }

  /** Returns when the store evaluated key {@code i}. */
  long nowMicros(int i) {
    return outcome.nowMicros(i);
  }

  boolean allowed() {
    return outcome.allowed();
  }

  /** Returns whether the store evaluated key {@code i}. */
  boolean seen(int i) {
    return outcome.seen(i);
  }

  boolean passed(int i) {
    return outcome.passed(i);
  }

  /** Returns the tokens left in the only band. */
  long remaining() {
    return remaining(0, 0);
  }

  /** Returns the tokens left in band {@code b} of key {@code i} after the decision. */
  long remaining(int i, int b) {
    BandCursor at = at(i, b);
    return at.band().remaining(viewsAfter, at.view());
  }

  long remainingBefore(int i, int b) {
    BandCursor at = at(i, b);
    return at.band().remaining(outcome.views(), at.view());
  }

  /** Returns the wait that the only band advertises. */
  Duration await() {
    return Duration.of(waitMicros(0, 0), ChronoUnit.MICROS);
  }

  long waitMicros(int i, int b) {
    BandCursor at = at(i, b);
    return at.band().waitMicros(outcome.views(), at.view(), at.cost());
  }

  long resetMicros(int i, int b) {
    BandCursor at = at(i, b);
    return at.band().resetMicros(outcome.views(), at.view());
  }

  private BandCursor at(int i, int b) {
    BandCursor at = new BandCursor(acquisition);
    while (at.key() < i || at.bandOfKey() < b) {
      at.nextBand();
    }
    return at;
  }
}
