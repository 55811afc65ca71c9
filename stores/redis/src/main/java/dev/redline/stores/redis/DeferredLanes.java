package dev.redline.stores.redis;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lanes to drain at the end of a delivery. Acquisitions that continuations submit during a delivery
 * are sent at its end, or when half a batch has collected. So the acquisitions that follow one
 * reply are batched again; otherwise the first of them would be sent alone.
 */
final class DeferredLanes {
  private static final ThreadLocal<@Nullable DeferredLanes> CURRENT = new ThreadLocal<>();

  private Lane[] lanes = new Lane[4];
  private int size;

  private DeferredLanes() {}

  /** Returns the lanes that wait for the delivery on this thread; null outside of a delivery. */
  static @Nullable DeferredLanes current() {
    return CURRENT.get();
  }

  /** Runs a delivery, then drains the lanes that it added to. */
  static void during(Runnable delivery) {
    if (CURRENT.get() != null) {
      delivery.run();
      return;
    }
    DeferredLanes deferred = new DeferredLanes();
    CURRENT.set(deferred);
    try {
      delivery.run();
    } finally {
      CURRENT.remove();
      for (int i = 0; i < deferred.size; i++) {
        deferred.lanes[i].drain();
      }
    }
  }

  void add(Lane lane) {
    if (size > 0 && lanes[size - 1] == lane) {
      return;
    }
    if (size == lanes.length) {
      lanes = Arrays.copyOf(lanes, size * 2);
    }
    lanes[size++] = lane;
  }
}
