package dev.redline.core.internal.store;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;

/**
 * The decision function: an acquisition, the buckets of its keys and a moment in, an outcome and
 * changed buckets out.
 *
 * <ul>
 *   <li>All or nothing: it is allowed if all bands of every enforced key admit the key's cost.
 *   <li>A shadow key never denies, and is taken from only if the acquisition is allowed and all its
 *       own bands admit the cost.
 *   <li>A dry run writes nothing. A denial writes nothing but the repair after a clock stepped
 *       back, without which a bucket would deny until the clock has caught up.
 * </ul>
 */
public final class AcquisitionDecider {
  private AcquisitionDecider() {}

  /** Decides an acquisition; no other thread may change the buckets meanwhile. */
  public static void decide(
      Acquisition acquisition, BucketAccess buckets, long nowMicros, Outcome outcome) {
    outcome.reset(acquisition.bands());
    long[] views = outcome.views();
    boolean writes = !acquisition.dryRun();
    boolean allowed = true;
    int v = 0;
    // Loops over keys instead of a cursor: not every compiled form of this can do without the
    // object, and nothing may be allocated here.
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      if (buckets.view(i, limits, nowMicros, views, v) && writes) {
        buckets.take(i, limits, nowMicros, views, v, 0);
      }
      if (limits.arithmetic().admits(views, v, acquisition.cost(i))) {
        outcome.pass(i);
      } else {
        allowed &= acquisition.shadow(i);
      }
      v += limits.arithmetic().viewWords();
    }
    if (allowed && writes) {
      take(acquisition, buckets, nowMicros, outcome);
    }
    outcome.decide(allowed, nowMicros);
  }

  private static void take(
      Acquisition acquisition, BucketAccess buckets, long nowMicros, Outcome outcome) {
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      if (outcome.passed(i)) {
        buckets.take(i, limits, nowMicros, outcome.views(), v, acquisition.cost(i));
      }
      v += limits.arithmetic().viewWords();
    }
  }
}
