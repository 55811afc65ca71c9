package dev.redline.core;

import java.util.concurrent.atomic.AtomicInteger;

/** How many callers may wait at once. */
final class WaitPermits {
  private final int max;
  private final AtomicInteger taken = new AtomicInteger();

  WaitPermits(int max) {
    this.max = max;
  }

  boolean tryTake() {
    int now = taken.get();
    while (now < max) {
      if (taken.compareAndSet(now, now + 1)) {
        return true;
      }
      now = taken.get();
    }
    return false;
  }

  void release() {
    taken.decrementAndGet();
  }
}
