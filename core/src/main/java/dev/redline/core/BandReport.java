package dev.redline.core;

import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One band of an outcome, and the choice of which band a result reports. */
record BandReport(Demand demand, int band, int view, long waitMicros, Outcome outcome) {

  /** Visits bands until it says stop. */
  @FunctionalInterface
  private interface Visitor {
    void visit(Demand demand, boolean passed, int band, int view);
  }

  private static void forEachEnforced(List<Demand> demands, Outcome outcome, Visitor visitor) {
    int v = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      int size = demand.key().limits().size();
      for (int b = 0; b < size; b++, v += BandArithmetic.VIEW_WORDS) {
        if (!demand.shadow()) {
          visitor.visit(demand, outcome.passed(i), b, v);
        }
      }
    }
  }

  /** Returns the enforced band with the smallest share left, or null if nothing is enforced. */
  static @Nullable BandReport smallestShare(List<Demand> demands, Outcome outcome) {
    Demand best = null;
    int bestBand = 0;
    int bestView = 0;
    long bestLeft = 0;
    long bestLimit = 1;
    int v = 0;
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      BucketLimits limits = demand.key().limits();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        if (demand.shadow()) {
          continue;
        }
        long left = limits.band(b).remaining(outcome.views(), v);
        long limit = limits.band(b).capacity();
        if (best == null || isSmaller(left, limit, bestLeft, bestLimit)) {
          best = demand;
          bestBand = b;
          bestView = v;
          bestLeft = left;
          bestLimit = limit;
        }
      }
    }
    return best == null ? null : new BandReport(best, bestBand, bestView, 0, outcome);
  }

  /** Returns whether a/b is less than c/d, exactly. */
  private static boolean isSmaller(long a, long b, long c, long d) {
    long leftHigh = Math.multiplyHigh(a, d);
    long rightHigh = Math.multiplyHigh(c, b);
    return leftHigh != rightHigh ? leftHigh < rightHigh : Long.compareUnsigned(a * d, c * b) < 0;
  }

  /** Returns the first enforced band that can never hold what is asked of it, or null. */
  static @Nullable BandReport costExceedsCapacity(List<Demand> demands, Outcome outcome) {
    List<BandReport> found = new ArrayList<>(1);
    forEachEnforced(
        demands,
        outcome,
        (demand, passed, b, v) -> {
          if (found.isEmpty() && demand.cost() > demand.key().limits().band(b).capacity()) {
            found.add(new BandReport(demand, b, v, 0, outcome));
          }
        });
    return found.isEmpty() ? null : found.get(0);
  }

  /** Returns the enforced band that makes the caller wait longest. */
  static BandReport longestWait(List<Demand> demands, Outcome outcome) {
    List<BandReport> longest = new ArrayList<>(1);
    forEachEnforced(
        demands,
        outcome,
        (demand, passed, b, v) -> {
          if (passed) {
            return;
          }
          long wait = demand.key().limits().band(b).waitMicros(outcome.views(), v, demand.cost());
          if (longest.isEmpty() || wait > longest.get(0).waitMicros) {
            longest.clear();
            longest.add(new BandReport(demand, b, v, wait, outcome));
          }
        });
    if (longest.isEmpty()) {
      throw new IllegalStateException("a store refused although every enforced key passes");
    }
    return longest.get(0);
  }

  /** Returns the status of all enforced bands. */
  static List<BandStatus> enforced(List<Demand> demands, Outcome outcome) {
    List<BandStatus> all = new ArrayList<>();
    forEachEnforced(
        demands,
        outcome,
        (demand, passed, b, v) -> all.add(new BandReport(demand, b, v, 0, outcome).status(passed)));
    return all;
  }

  /** Returns the status of the bands of demand {@code i}. */
  static List<BandStatus> of(List<Demand> demands, int i, Outcome outcome) {
    int v = 0;
    for (int before = 0; before < i; before++) {
      v += demands.get(before).key().limits().size() * BandArithmetic.VIEW_WORDS;
    }
    List<BandStatus> all = new ArrayList<>();
    Demand demand = demands.get(i);
    for (int b = 0; b < demand.key().limits().size(); b++, v += BandArithmetic.VIEW_WORDS) {
      all.add(new BandReport(demand, b, v, 0, outcome).status(outcome.passed(i)));
    }
    return all;
  }

  private BandArithmetic arithmetic() {
    return demand.key().limits().band(band);
  }

  private long resetAtMicros() {
    return outcome.nowMicros() + arithmetic().resetMicros(outcome.views(), view);
  }

  /** Puts the numbers of this band into a result. */
  RateLimitResult.Builder fill(RateLimitResult.Builder result) {
    return Evaluation.name(result, demand)
        .band(
            demand.key().limits().label(band),
            arithmetic().capacity(),
            arithmetic().remaining(outcome.views(), view),
            resetAtMicros());
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
