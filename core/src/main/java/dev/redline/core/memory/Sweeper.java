package dev.redline.core.memory;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The daemon thread that sweeps a store in the background.
 *
 * <p>It starts with the first key, sleeps while the store is empty, and pauses at least a multiple
 * of the time a sweep took, so that a large table does not cost a processor.
 */
final class Sweeper {
  private static final long PAUSE_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS_WHEN_FULL = 50_000_000L;
  private static final int PAUSES_PER_SWEEP = 32;
  private static final int PAUSES_PER_SWEEP_WHEN_FULL = 4;

  private final InMemoryStore store;
  private @Nullable Thread thread;
  private volatile boolean asleep = true;
  private volatile boolean full;
  private volatile boolean closed;

  Sweeper(InMemoryStore store) {
    this.store = store;
  }

  /**
   * Says that the store is not empty. Called after a key was inserted: either this sees the thread
   * asleep, or the thread, which looks at the store after it says so, sees the key.
   */
  void wake() {
    if (asleep) {
      startOrUnpark();
    }
  }

  /** Says that a key found no room. */
  void hurry() {
    if (!full) {
      full = true;
    }
  }

  /** Ends the thread. */
  void close() {
    closed = true;
    startOrUnpark();
  }

  private synchronized void startOrUnpark() {
    if (thread != null) {
      asleep = false;
      LockSupport.unpark(thread);
    } else if (!closed) {
      // A thread of the store's own: whoever happens to insert first lends it nothing.
      Thread started =
          new Thread(null, this::run, "redline-" + store.type() + "-sweeper", 0, false);
      started.setContextClassLoader(null);
      started.setDaemon(true);
      started.start();
      thread = started;
      asleep = false;
    }
  }

  private void run() {
    try {
      long swept = 0;
      while (!closed) {
        if (store.isEmpty()) {
          sleep();
        } else {
          LockSupport.parkNanos(this, pause(swept));
          full = false;
          long start = System.nanoTime();
          store.sweep();
          swept = System.nanoTime() - start;
        }
      }
    } finally {
      ended();
    }
  }

  private long pause(long swept) {
    return full
        ? Math.max(PAUSE_NANOS_WHEN_FULL, swept * PAUSES_PER_SWEEP_WHEN_FULL)
        : Math.max(PAUSE_NANOS, swept * PAUSES_PER_SWEEP);
  }

  private void sleep() {
    asleep = true;
    while (asleep && !closed && store.isEmpty()) {
      LockSupport.park(this);
    }
    asleep = false;
  }

  /** Lets the next key start another thread, should this one have died of an error. */
  private synchronized void ended() {
    thread = null;
    asleep = true;
  }
}
