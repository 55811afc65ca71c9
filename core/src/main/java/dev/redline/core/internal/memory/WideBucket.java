package dev.redline.core.internal.memory;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;

/** Any number of bands of any kind: their words side by side, guarded by the lock. */
final class WideBucket extends Bucket {
  private static final long UNLOCKED = 0;

  private final long[] state;

  WideBucket(BucketLimits limits) {
    this.state = new long[limits.stateWords()];
  }

  @Override
  long fresh(BucketLimits limits) {
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      limits.band(b).fresh(state, s);
      s += limits.band(b).stateWords();
    }
    return UNLOCKED;
  }

  @Override
  long after(BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      limits.band(b).take(state, s, now, view, v + b * BandArithmetic.VIEW_WORDS, cost);
      s += limits.band(b).stateWords();
    }
    return UNLOCKED;
  }

  @Override
  boolean view(BucketLimits limits, long now, long origin, long[] view, int v) {
    boolean repair = false;
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      repair |= limits.band(b).view(state, s, now, view, v + b * BandArithmetic.VIEW_WORDS);
      s += limits.band(b).stateWords();
    }
    return repair;
  }

  @Override
  long microsToFull(BucketLimits limits, long now, long origin) {
    long[] view = new long[limits.size() * BandArithmetic.VIEW_WORDS];
    // A state that only a clock step explains is not full, even if its view is.
    long micros = view(limits, now, origin, view, 0) ? 1 : 0;
    for (int b = 0; b < limits.size(); b++) {
      micros = Math.max(micros, limits.band(b).lifetimeMicros(view, b * BandArithmetic.VIEW_WORDS));
    }
    return micros;
  }

  @Override
  long minMicrosToFull(BucketLimits limits, long now, long origin) {
    return 0;
  }
}
