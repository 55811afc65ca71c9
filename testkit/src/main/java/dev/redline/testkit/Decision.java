package dev.redline.testkit;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
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
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      boolean taken = outcome.allowed() && outcome.passed(i) && !acquisition.dryRun();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        if (taken) {
          limits.band(b).advance(after, v, acquisition.cost(i));
        }
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
    return band(i, b).remaining(viewsAfter, view(i, b));
  }

  long remainingBefore(int i, int b) {
    return band(i, b).remaining(outcome.views(), view(i, b));
  }

  /** Returns the wait that the only band advertises. */
  Duration await() {
    return Duration.of(waitMicros(0, 0), ChronoUnit.MICROS);
  }

  long waitMicros(int i, int b) {
    return band(i, b).waitMicros(outcome.views(), view(i, b), acquisition.cost(i));
  }

  long resetMicros(int i, int b) {
    return band(i, b).resetMicros(outcome.views(), view(i, b));
  }

  private BandArithmetic band(int i, int b) {
    return acquisition.key(i).limits().band(b);
  }

  private int view(int i, int b) {
    int bands = b;
    for (int before = 0; before < i; before++) {
      bands += acquisition.key(before).limits().size();
    }
    return bands * BandArithmetic.VIEW_WORDS;
  }
}
