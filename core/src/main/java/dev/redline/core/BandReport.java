package dev.redline.core;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One band of an outcome, and the choice of which band a result reports. Bands are numbered through
 * all keys of an acquisition, from 0.
 *
 * @param acquisition what was asked
 * @param key the number of the key
 * @param band the number of the band among the key's
 * @param view where the outcome's view of the band begins
 * @param outcome what was answered
 */
record BandReport(Acquisition acquisition, int key, int band, int view, Outcome outcome) {
  /** The number of no band. */
  static final int NONE = -1;

  /** The shortest wait for more than this node's share of a limit can ever hold. */
  private static final long SHORTEST_WAIT_FOR_OTHERS = 1_000_000;

  /** Returns band {@code number}. */
  static BandReport at(int number, Acquisition acquisition, Outcome outcome) {
    int key = 0;
    int band = number;
    while (band >= acquisition.key(key).limits().size()) {
      band -= acquisition.key(key).limits().size();
      key++;
    }
    return new BandReport(acquisition, key, band, number * BandArithmetic.VIEW_WORDS, outcome);
  }

  /** Returns whether there is only one band, and so nothing to compare. */
  private static boolean isOne(Acquisition acquisition) {
    return acquisition.size() == 1 && acquisition.key(0).limits().size() == 1;
  }

  /** Returns the enforced band with the smallest share left, or {@link #NONE}. */
  static int smallestShare(Acquisition acquisition, Outcome outcome) {
    if (isOne(acquisition)) {
      return acquisition.shadow(0) ? NONE : 0;
    }
    int best = NONE;
    long bestLeft = 0;
    long bestLimit = 1;
    int number = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++, number++) {
        if (acquisition.shadow(i)) {
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

  /** Returns the first enforced band that can never hold what is asked of it, or {@link #NONE}. */
  static int costExceedsCapacity(Acquisition acquisition) {
    int number = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++, number++) {
        if (!acquisition.shadow(i) && acquisition.cost(i) > limits.band(b).capacity()) {
          return number;
        }
      }
    }
    return NONE;
  }

  /** Returns the enforced band that makes the caller wait longest. */
  static int longestWait(Acquisition acquisition, Outcome outcome) {
    if (isOne(acquisition) && !acquisition.shadow(0)) {
      return 0;
    }
    int longest = NONE;
    long longestWait = NONE;
    int number = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      boolean refuses = !acquisition.shadow(i) && outcome.seen(i) && !outcome.passed(i);
      for (int b = 0; b < limits.size(); b++, number++) {
        int v = number * BandArithmetic.VIEW_WORDS;
        long wait =
            refuses ? waitMicros(limits.band(b), outcome.views(), v, acquisition.cost(i)) : NONE;
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

  /** Returns the status of all enforced bands that were looked at. */
  static List<BandStatus> enforced(Acquisition acquisition, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>();
    int view = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      if (!acquisition.shadow(i) && outcome.seen(i)) {
        all.addAll(of(acquisition, i, view, outcome));
      }
      view += acquisition.key(i).limits().size() * BandArithmetic.VIEW_WORDS;
    }
    return all;
  }

  /** Returns the status of the bands of key {@code i}. */
  static List<BandStatus> of(Acquisition acquisition, int i, Outcome outcome) {
    int view = 0;
    for (int before = 0; before < i; before++) {
      view += acquisition.key(before).limits().size() * BandArithmetic.VIEW_WORDS;
    }
    return of(acquisition, i, view, outcome);
  }

  private static List<BandStatus> of(Acquisition acquisition, int i, int view, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>();
    for (int b = 0; b < acquisition.key(i).limits().size(); b++) {
      all.add(
          new BandReport(acquisition, i, b, view + b * BandArithmetic.VIEW_WORDS, outcome)
              .status());
    }
    return all;
  }

  BucketLimits limits() {
    return acquisition.key(key).limits();
  }

  private BandArithmetic arithmetic() {
    return limits().band(band);
  }

  String label() {
    return limits().label(band);
  }

  long capacity() {
    return arithmetic().capacity();
  }

  long remaining() {
    return Math.max(0, arithmetic().remaining(outcome.views(), view));
  }

  long waitMicros() {
    return waitMicros(arithmetic(), outcome.views(), view, acquisition.cost(key));
  }

  /**
   * Returns how long to wait for {@code cost}. One that exceeds the capacity fits the configured
   * limit and not this node's share of it: the shared store will decide it when it is back.
   */
  private static long waitMicros(BandArithmetic band, long[] views, int v, long cost) {
    return cost <= band.capacity()
        ? band.waitMicros(views, v, cost)
        : Math.max(SHORTEST_WAIT_FOR_OTHERS, band.waitMicros(views, v, band.capacity()));
  }

  long resetAtMicros() {
    return outcome.nowMicros(key) + arithmetic().resetMicros(outcome.views(), view);
  }

  private BandStatus status() {
    BandArithmetic arithmetic = arithmetic();
    long[] views = outcome.views();
    return new BandStatus(
        limits().ownerId(),
        label(),
        outcome.passed(key) || arithmetic.admits(views, view, acquisition.cost(key)),
        capacity(),
        remaining(),
        Duration.ofNanos(arithmetic.horizonMicros() * 1000),
        Duration.ofNanos(arithmetic.nextMicros(views, view) * 1000),
        RateLimitResult.instant(resetAtMicros()));
  }
}
