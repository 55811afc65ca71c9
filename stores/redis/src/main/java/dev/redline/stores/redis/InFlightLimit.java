package dev.redline.stores.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The way into one master of a cluster, which many lanes lead to: as many calls at once as make 256
 * acquisitions at most, since with more of them only the wait grows. The lanes that find it full
 * gather meanwhile, and go on in turn. Nothing here waits or locks.
 */
final class InFlightLimit {
  private static final int MAX_ACQUISITIONS = 256;

  private final AtomicInteger inside = new AtomicInteger();
  private final Queue<Lane> waiting = new ConcurrentLinkedQueue<>();
  private final int maxCalls;

  InFlightLimit(int maxBatch) {
    this.maxCalls = Math.max(1, MAX_ACQUISITIONS / maxBatch);
  }

  /** Lets a call in, or returns false; then the lane is told to send as soon as there is room. */
  boolean enter(Lane lane) {
    if (inside.incrementAndGet() <= maxCalls) {
      return true;
    }
    inside.decrementAndGet();
    if (lane.beginsToWait()) {
      waiting.add(lane);
    }
    // Whoever left since may not have seen the lane.
    if (inside.get() < maxCalls) {
      wake();
    }
    return false;
  }

  /** Says that a call that was let in is over, or is not under way for a while. */
  void leave() {
    inside.decrementAndGet();
    wake();
  }

  private void wake() {
    while (inside.get() < maxCalls) {
      Lane lane = waiting.poll();
      if (lane == null) {
        return;
      }
      lane.waitsNoMore();
      lane.drain();
    }
  }
}
