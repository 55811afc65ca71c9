package dev.redline.core;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Chooses the band whose numbers a result reports. Bands are numbered through all keys of an
 * acquisition, from 0.
 */
final class ReportedBand {
  /** The number of no band. */
  static final int NONE = -1;

  /** The shortest wait for more than this node's share of a limit can ever hold. */
  private static final long SHORTEST_WAIT_FOR_STORE = 1_000_000;

  private ReportedBand() {}

  /** Returns the key that band {@code number} belongs to. */
  static int key(int number, Acquisition acquisition) {
    int key = 0;
    int band = number;
    while (band >= acquisition.key(key).limits().size()) {
      band -= acquisition.key(key).limits().size();
      key++;
    }
    return key;
  }

  /** Returns the number of the first band of a key. */
  static int firstOf(int key, Acquisition acquisition) {
    int number = 0;
    for (int before = 0; before < key; before++) {
      number += acquisition.key(before).limits().size();
    }
    return number;
  }

  private static boolean hasOneBand(Acquisition acquisition) {
    return acquisition.size() == 1 && acquisition.key(0).limits().size() == 1;
  }

  /** Returns the enforced band with the smallest share left, or {@link #NONE}. */
  static int smallestShare(Acquisition acquisition, Outcome outcome) {
    if (hasOneBand(acquisition)) {
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

  /** Returns the first enforced band whose capacity is below the cost, or {@link #NONE}. */
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

  /** Returns the enforced band with the longest wait. */
  static int longestWait(Acquisition acquisition, Outcome outcome) {
    if (hasOneBand(acquisition) && !acquisition.shadow(0)) {
      return 0;
    }
    int longest = NONE;
    long longestWait = NONE;
    int number = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      boolean denies = !acquisition.shadow(i) && outcome.seen(i) && !outcome.passed(i);
      for (int b = 0; b < limits.size(); b++, number++) {
        int v = number * BandArithmetic.VIEW_WORDS;
        long wait =
            denies ? waitMicros(limits.band(b), outcome.views(), v, acquisition.cost(i)) : NONE;
        if (wait > longestWait) {
          longest = number;
          longestWait = wait;
        }
      }
    }
    if (longest == NONE) {
      throw new IllegalStateException("a store denied although every enforced key passes");
    }
    return longest;
  }

  /**
   * Returns how long to wait for {@code cost}. One that exceeds the capacity fits the configured
   * limit and not this node's share of it: the shared store decides it after its recovery.
   */
  static long waitMicros(BandArithmetic band, long[] views, int v, long cost) {
    return cost <= band.capacity()
        ? band.waitMicros(views, v, cost)
        : Math.max(SHORTEST_WAIT_FOR_STORE, band.waitMicros(views, v, band.capacity()));
  }

  /** Returns the status of all bands of enforced keys whose state is known. */
  static List<BandStatus> enforced(Acquisition acquisition, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>(acquisition.bands());
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      if (!acquisition.shadow(i) && outcome.seen(i)) {
        addBands(all, i, v, acquisition, outcome);
      }
      v += acquisition.key(i).limits().size() * BandArithmetic.VIEW_WORDS;
    }
    return Collections.unmodifiableList(all);
  }

  /** Returns the status of the bands of key {@code i}, with the tokens that this process leased. */
  static List<BandStatus> ofKey(int i, Acquisition acquisition, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>();
    int v = firstOf(i, acquisition) * BandArithmetic.VIEW_WORDS;
    acquisition.key(i).limits().arithmetic().retreat(outcome.views(), v, outcome.leased(i));
    addBands(all, i, v, acquisition, outcome);
    return all;
  }

  private static void addBands(
      List<BandStatus> all, int i, int firstView, Acquisition acquisition, Outcome outcome) {
    BucketLimits limits = acquisition.key(i).limits();
    long[] views = outcome.views();
    int v = firstView;
    for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
      BandArithmetic band = limits.band(b);
      all.add(
          new BandStatus(
              limits.ownerId(),
              limits.label(b),
              outcome.passed(i) || band.admits(views, v, acquisition.cost(i)),
              band.capacity(),
              Math.max(0, band.remaining(views, v)),
              Duration.ofNanos(band.horizonMicros() * 1000),
              Duration.ofNanos(band.nextMicros(views, v) * 1000),
              RateLimitResult.instant(outcome.nowMicros(i) + band.resetMicros(views, v))));
    }
  }
}
