package dev.redline.bench.scale;

/**
 * What calls cost, in microseconds of one processor.
 *
 * @param redisCall what Redis needs for a script call, besides its buckets
 * @param redisBucket what Redis needs for each bucket of a call; equal acquisitions share it
 * @param nodeCall what a node needs to send a call and to receive its reply
 * @param nodeDecision what a node needs for each acquisition of a call
 */
record CallCosts(double redisCall, double redisBucket, double nodeCall, double nodeDecision) {
  /** As measured by {@code bench redis}; docs/scale.md says how. */
  static final CallCosts MEASURED = new CallCosts(9.4, 3.2, 45, 1.2);

  CallCosts {
    if (!(redisCall >= 0 && redisBucket > 0 && nodeCall >= 0 && nodeDecision >= 0)) {
      throw new IllegalArgumentException("costs must not be negative");
    }
  }

  long redisNanos(int buckets, double factor) {
    return Math.max(1, Math.round(1000 * factor * (redisCall + redisBucket * buckets)));
  }

  long sendNanos() {
    return Math.round(500 * nodeCall);
  }

  long receiveNanos() {
    return Math.round(500 * nodeCall);
  }

  long decisionNanos() {
    return Math.max(1, Math.round(1000 * nodeDecision));
  }
}
