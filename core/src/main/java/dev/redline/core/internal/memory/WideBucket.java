package dev.redline.core.internal.memory;

import dev.redline.core.limit.BucketLimits;

/** Any number of bands of any kind: their words side by side, guarded by the lock. */
final class WideBucket extends Bucket {
  private static final long UNLOCKED = 0;

  private final long[] state;

  WideBucket(BucketLimits limits) {
    this.state = new long[limits.stateWords()];
  }

  @Override
  long full(BucketLimits limits) {
    limits.arithmetic().fill(state, 0);
    return UNLOCKED;
  }

  @Override
  long after(BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    limits.arithmetic().take(state, 0, now, view, v, cost);
    return UNLOCKED;
  }

  @Override
  boolean view(BucketLimits limits, long now, long origin, long[] view, int v) {
    return limits.arithmetic().view(state, 0, now, view, v);
  }

  @Override
  long microsToFull(BucketLimits limits, long now, long origin) {
    long[] view = new long[limits.arithmetic().viewWords()];
    // A state that only a clock step explains is not full, even if its view is.
    long least = view(limits, now, origin, view, 0) ? 1 : 0;
    return Math.max(least, limits.arithmetic().lifetimeMicros(view, 0));
  }

  @Override
  long minMicrosToFull(BucketLimits limits, long now, long origin) {
    return 0;
  }
}
