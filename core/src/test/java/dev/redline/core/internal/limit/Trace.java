package dev.redline.core.internal.limit;

import dev.redline.core.internal.limit.Bands.Step;
import dev.redline.core.limit.RateLimitBand;

/** A band's arithmetic on its way through time, with its state at hand. */
final class Trace {
  final BandArithmetic arithmetic;
  final long[] state;
  final long[] view = new long[BandArithmetic.VIEW_WORDS];
  long now;

  Trace(RateLimitBand band, long start) {
    this.arithmetic = BandArithmetic.of(band);
    this.state = new long[arithmetic.stateWords()];
    this.now = start;
    arithmetic.fill(state, 0);
    arithmetic.view(state, 0, now, view, 0);
  }

  /** Reads the state as a decision that may write does; returns whether it was repaired. */
  boolean look() {
    boolean repaired = arithmetic.view(state, 0, now, view, 0);
    if (repaired) {
      arithmetic.take(state, 0, now, view, 0, 0);
    }
    return repaired;
  }

  /** Decides as a store does; returns whether the cost was taken. */
  boolean acquire(long cost) {
    look();
    boolean admitted = arithmetic.admits(view, 0, cost);
    if (admitted) {
      arithmetic.take(state, 0, now, view, 0, cost);
    }
    return admitted;
  }

  /** Returns what a decision of {@code cost} would be at another time, taking nothing. */
  boolean wouldAdmit(long at, long cost) {
    long[] other = new long[BandArithmetic.VIEW_WORDS];
    arithmetic.view(state, 0, at, other, 0);
    return arithmetic.admits(other, 0, cost);
  }

  long remaining() {
    return arithmetic.remaining(view, 0);
  }

  /** Moves time as a step says, relative to what the last view advertised for {@code lastCost}. */
  void move(Step step, long lastCost) {
    long horizon = arithmetic.horizonMicros();
    long wait = arithmetic.waitMicros(view, 0, lastCost);
    long reset = arithmetic.resetMicros(view, 0);
    long by =
        switch (step.move()) {
          case STAY -> 0;
          case ONE_MICRO -> 1;
          case LITTLE -> (long) (step.far() * 2000);
          case WITHIN_HORIZON -> (long) (step.far() * horizon);
          case TO_THE_WAIT -> wait;
          case JUST_BEFORE_THE_WAIT -> Math.max(0, wait - 1);
          case TO_THE_RESET -> reset;
          case JUST_BEFORE_THE_RESET -> Math.max(0, reset - 1);
          case BEYOND_HORIZON -> horizon + (long) (step.far() * horizon);
          case BACK_A_LITTLE -> -(long) (step.far() * 2000);
          case BACK_FAR -> -(long) (step.far() * 2 * horizon);
        };
    now += by;
  }

  /** Returns what a step asks for, given the last view. */
  long cost(Step step) {
    long capacity = arithmetic.capacity();
    long cost =
        switch (step.ask()) {
          case ONE -> 1;
          case FEW -> 1 + (long) (step.much() * 10);
          case PART_OF_CAPACITY -> (long) (step.much() * capacity);
          case WHAT_IS_LEFT -> remaining();
          case ONE_MORE_THAN_IS_LEFT -> remaining() + 1;
          case CAPACITY -> capacity;
        };
    return Math.max(1, Math.min(cost, capacity));
  }
}
