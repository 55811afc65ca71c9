package dev.redline.core;

import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One band of an outcome, and the choice of which band a result reports. Bands are numbered through
 * all demands, from 0.
 */
record BandReport(Demand demand, int band, int view, Outcome outcome) {
  private static final int NONE = -1;

  /** Returns band {@code number}. */
  static BandReport at(int number, List<Demand> demands, Outcome outcome) {
    int i = 0;
    int b = number;
    while (b >= size(demands.get(i))) {
      b -= size(demands.get(i));
      i++;
    }
    return new BandReport(demands.get(i), b, number * BandArithmetic.VIEW_WORDS, outcome);
  }

  /** Returns whether there is only one band, and so nothing to compare. */
  private static boolean isOne(List<Demand> demands) {
    return demands.size() == 1 && size(demands.get(0)) == 1;
  }

  private static int size(Demand demand) {
    return demand.key().limits().size();
  }

  /** Returns the enforced band with the smallest share left, or -1 if nothing is enforced. */
  static int smallestShare(List<Demand> demands, Outcome outcome) {
    if (isOne(demands)) {
      return demands.get(0).shadow() ? NONE : 0;
    }
    int best = NONE;
    long bestLeft = 0;
    long bestLimit = 1;
    int number = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      BucketLimits limits = demand.key().limits();
      for (int b = 0; b < limits.size(); b++, number++) {
        if (demand.shadow()) {
          continue;
        }
        long left = limits.band(b).remaining(outcome.views(), number * BandArithmetic.VIEW_WORDS);
        long limit = limits.band(b).capacity();
        if (best == NONE || isSmaller(left, limit, bestLeft, bestLimit)) {
          best = number;
          bestLeft = left;
          bestLimit = limit;
        }
      }
    }
    return best;
  }

  /** Returns whether a/b is less than c/d, exactly. */
  private static boolean isSmaller(long a, long b, long c, long d) {
    long leftHigh = Math.multiplyHigh(a, d);
    long rightHigh = Math.multiplyHigh(c, b);
    return leftHigh != rightHigh ? leftHigh < rightHigh : Long.compareUnsigned(a * d, c * b) < 0;
  }

  /** Returns the first enforced band that can never hold what is asked of it, or -1. */
  static int costExceedsCapacity(List<Demand> demands) {
    int number = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      BucketLimits limits = demand.key().limits();
      for (int b = 0; b < limits.size(); b++, number++) {
        if (!demand.shadow() && demand.cost() > limits.band(b).capacity()) {
          return number;
        }
      }
    }
    return NONE;
  }

  /** Returns the enforced band that makes the caller wait longest. */
  static int longestWait(List<Demand> demands, Outcome outcome) {
    if (isOne(demands) && !demands.get(0).shadow()) {
      return 0;
    }
    int longest = NONE;
    long longestWait = NONE;
    int number = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      boolean refuses = !demand.shadow() && !outcome.passed(i);
      for (int b = 0; b < size(demand); b++, number++) {
        long wait = refuses ? at(number, demands, outcome).waitMicros() : NONE;
        if (wait > longestWait) {
          longest = number;
          longestWait = wait;
        }
      }
    }
    if (longest == NONE) {
      throw new IllegalStateException("a store refused although every enforced key passes");
    }
    return longest;
  }

  /** Returns the status of all enforced bands. */
  static List<BandStatus> enforced(List<Demand> demands, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>();
    for (int i = 0; i < demands.size(); i++) {
      if (!demands.get(i).shadow()) {
        all.addAll(of(demands, i, outcome));
      }
    }
    return all;
  }

  /** Returns the status of the bands of demand {@code i}. */
  static List<BandStatus> of(List<Demand> demands, int i, Outcome outcome) {
    int number = 0;
    for (int before = 0; before < i; before++) {
      number += size(demands.get(before));
    }
    List<BandStatus> all = new ArrayList<>();
    for (int b = 0; b < size(demands.get(i)); b++) {
      all.add(at(number + b, demands, outcome).status(outcome.passed(i)));
    }
    return all;
  }

  private BandArithmetic arithmetic() {
    return demand.key().limits().band(band);
  }

  private long resetAtMicros() {
    return outcome.nowMicros() + arithmetic().resetMicros(outcome.views(), view);
  }

  private long waitMicros() {
    return arithmetic().waitMicros(outcome.views(), view, demand.cost());
  }

  /** Puts the numbers of this band into a result, and how long to wait if that helps. */
  void fill(RateLimitResult.Builder result, boolean waiting) {
    Evaluation.name(result, demand)
        .band(
            demand.key().limits().label(band),
            arithmetic().capacity(),
            arithmetic().remaining(outcome.views(), view),
            resetAtMicros());
    if (waiting) {
      result.retryAfterMicros(waitMicros());
    }
  }

  private BandStatus status(boolean keyPassed) {
    boolean passed = keyPassed || arithmetic().admits(outcome.views(), view, demand.cost());
    return new BandStatus(
        demand.key().limits().ownerId(),
        demand.key().limits().label(band),
        passed,
        arithmetic().capacity(),
        arithmetic().remaining(outcome.views(), view),
        Duration.ofNanos(arithmetic().horizonMicros() * 1000),
        Duration.ofNanos(arithmetic().nextMicros(outcome.views(), view) * 1000),
        RateLimitResult.instant(resetAtMicros()));
  }
}
