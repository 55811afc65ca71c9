package dev.redline.stores.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The in-flight limit of one master of a cluster, shared by all lanes whose slots it owns: at most
 * as many calls as carry 256 acquisitions, since beyond that only latency grows. A lane that finds
 * the limit reached keeps collecting acquisitions, and sends when its turn comes. Lock-free; no
 * thread waits.
 */
final class InFlightLimit {
  private static final int MAX_ACQUISITIONS = 256;

  private final AtomicInteger inFlight = new AtomicInteger();
  private final Queue<Lane> waiting = new ConcurrentLinkedQueue<>();
  private final int maxCalls;

  InFlightLimit(int maxBatch) {
    this.maxCalls = Math.max(1, MAX_ACQUISITIONS / maxBatch);
  }

  /**
   * Counts a call as in flight; if the limit is reached, returns false and drains the lane later.
   */
  boolean tryEnter(Lane lane) {
    if (inFlight.incrementAndGet() <= maxCalls) {
      return true;
    }
    inFlight.decrementAndGet();
    if (lane.startWaiting()) {
      waiting.add(lane);
    }
    // A call that ended since may not have seen the lane in the queue.
    if (inFlight.get() < maxCalls) {
      wake();
    }
    return false;
  }

  /** Stops counting a call: it has ended, or will be sent again later. */
  void leave() {
    inFlight.decrementAndGet();
    wake();
  }

  private void wake() {
    while (inFlight.get() < maxCalls) {
      Lane lane = waiting.poll();
      if (lane == null) {
        return;
      }
      lane.stopWaiting();
      lane.drain();
    }
  }
}
