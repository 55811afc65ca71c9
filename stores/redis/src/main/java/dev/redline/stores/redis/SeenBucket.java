package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;

/**
 * A bucket as a reply left it: the state after what the reply acquired. Shows how many tokens are
 * left until another reply shows more.
 */
final class SeenBucket {
  private final BucketLimits limits;
  private final long[] state;
  private final long serverMicros;
  private final long sentNanos;

  private SeenBucket(BucketLimits limits, long[] state, long serverMicros, long sentNanos) {
    this.limits = limits;
    this.state = state;
    this.serverMicros = serverMicros;
    this.sentNanos = sentNanos;
  }

  /**
   * Creates it from a reply.
   *
   * @param v where the views of the bucket begin
   * @param acquired what the reply acquired of the bucket
   * @param sentNanos when the request was sent
   */
  static SeenBucket of(BucketLimits limits, Outcome outcome, int v, long acquired, long sentNanos) {
    long[] state = new long[limits.stateWords()];
    limits.arithmetic().take(state, 0, outcome.nowMicros(), outcome.views(), v, acquired);
    return new SeenBucket(limits, state, outcome.nowMicros(), sentNanos);
  }

  /** Returns the state, which must not be changed. */
  long[] state() {
    return state;
  }

  /** Returns the latest time that the server's clock can show. */
  long latestMicros(long nanos) {
    return serverMicros + Math.max(0, nanos - sentNanos) / 1000 + 1;
  }

  /** Writes the views of the bucket at a time, if nothing was acquired since. */
  void view(long nanos, long[] views, int v) {
    limits.arithmetic().view(state, 0, latestMicros(nanos), views, v);
  }

  /** Returns the later of two; at the same time, the one from which more was acquired. */
  static SeenBucket later(SeenBucket one, SeenBucket other) {
    if (one.serverMicros != other.serverMicros) {
      return one.serverMicros > other.serverMicros ? one : other;
    }
    for (int i = 0; i < one.state.length; i++) {
      if (one.state[i] != other.state[i]) {
        return one.state[i] > other.state[i] ? one : other;
      }
    }
    return other;
  }
}
