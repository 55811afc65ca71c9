package dev.redline.core.internal.store;

import dev.redline.core.limit.BucketLimits;

/** The buckets of one acquisition, while no other thread can change them. */
public interface BucketAccess {
  /**
   * Reads all bands of a key at a moment into views.
   *
   * @return whether the state could only come from a clock that has since stepped back
   */
  boolean view(int key, BucketLimits limits, long nowMicros, long[] views, int v);

  /** Writes the state of a key that follows when {@code cost} is taken from what views show. */
  void take(int key, BucketLimits limits, long nowMicros, long[] views, int v, long cost);
}
