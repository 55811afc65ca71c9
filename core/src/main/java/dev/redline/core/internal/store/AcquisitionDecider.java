package dev.redline.core.internal.store;

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

  /** Decides an acquisition; nobody else may change the buckets meanwhile. */
  public static void decide(
      Acquisition acquisition, BucketAccess buckets, long nowMicros, Outcome outcome) {
    outcome.reset(acquisition.bands());
    long[] views = outcome.views();
    boolean writes = !acquisition.dryRun();
    boolean allowed = true;
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      boolean stepped = buckets.view(at.key(), at.limits(), nowMicros, views, at.view());
      if (stepped && writes) {
        buckets.take(at.key(), at.limits(), nowMicros, views, at.view(), 0);
      }
      if (at.bucket().admits(views, at.view(), at.cost())) {
        outcome.pass(at.key());
      } else {
        allowed &= at.shadow();
      }
    }
    if (allowed && writes) {
      take(acquisition, buckets, nowMicros, outcome);
    }
    outcome.decide(allowed, nowMicros);
  }

  private static void take(
      Acquisition acquisition, BucketAccess buckets, long nowMicros, Outcome outcome) {
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      if (outcome.passed(at.key())) {
        buckets.take(at.key(), at.limits(), nowMicros, outcome.views(), at.view(), at.cost());
      }
    }
  }
}
