package dev.redline.core.internal.memory;

import dev.redline.core.store.RateLimitKey;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The daemon thread that sweeps a store in the background.
 *
 * <p>It starts with the first key. A sweep visits every bucket, so it is followed by a rest many
 * times as long as it took: a large table does not cost a processor. Once a key has found no room,
 * the buckets that will be full soon are {@linkplain WatchedKeys watched} during the rest, so that
 * room is found a tick after it becomes possible; and where they are not all known, the rest is
 * shorter.
 *
 * <p>The thread ends when the store is closed, is garbage, or has been empty for a while; the next
 * key starts another. So it refers to the store only while it works.
 */
final class Sweeper {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(25);
  private static final long IDLE = TimeUnit.SECONDS.toNanos(5);
  private static final int RESTS_PER_SWEEP = 32;
  private static final int RESTS_PER_SWEEP_WHEN_FULL = 3;

  private final WeakReference<InMemoryStore> swept;
  private final long shortestRest;
  private final WatchedKeys watched = new WatchedKeys();
  private long sweepEnded = System.nanoTime();
  private long sweepTook;

  private @Nullable Thread thread;
  private volatile boolean asleep = true;
  private volatile boolean resting;
  private volatile boolean full;
  private volatile boolean closed;

  Sweeper(InMemoryStore store, Duration shortestRest) {
    this.shortestRest = shortestRest.toNanos();
    this.swept = new WeakReference<>(store);
  }

  /**
   * Notes that a key was inserted. Either this finds the thread asleep, or the thread, which looks
   * at the store after it set the flag, finds the key.
   */
  void inserted(RateLimitKey key) {
    if (full) {
      watched.offer(key);
    } else {
      watched.missed();
    }
    if (asleep) {
      startOrUnpark();
    }
  }

  /** Notes that buckets were made full. */
  void refilled() {
    watched.missed();
  }

  /** Notes that a key found no room. Either this finds the thread resting, or it finds the flag. */
  void hurry() {
    if (!full) {
      full = true;
      if (resting) {
        startOrUnpark();
      }
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
      return;
    }
    InMemoryStore store = swept.get();
    if (store != null && !closed) {
      // Inherits nothing from the thread that happens to insert first.
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
      boolean alive = true;
      while (alive && !closed) {
        alive = isEmpty() ? sleep() : work() && rest();
        // Parking would not wait in an interrupted thread.
        Thread.interrupted();
      }
    } finally {
      ended();
    }
  }

  private boolean isEmpty() {
    InMemoryStore store = swept.get();
    return store == null || store.isEmpty();
  }

  /** Waits for a key; returns false if the thread has to end. */
  private boolean sleep() {
    asleep = true;
    long deadline = System.nanoTime() + IDLE;
    while (asleep && !closed && isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return !endIfAsleep();
      }
      LockSupport.parkNanos(this, left);
    }
    asleep = false;
    return true;
  }

  private synchronized boolean endIfAsleep() {
    if (!asleep || !isEmpty()) {
      return false;
    }
    thread = null;
    return true;
  }

  /** Sweeps, or looks at the watched keys, as is due; returns false if the store is garbage. */
  private boolean work() {
    InMemoryStore store = swept.get();
    if (store == null) {
      return false;
    }
    if (System.nanoTime() - sweepEnded >= restNanos(store)) {
      sweep(store);
    } else if (full) {
      watched.sweep(store);
    }
    return true;
  }

  private long restNanos(InMemoryStore store) {
    return full && !watched.areAllKnown(store.nowMicros())
        ? Math.max(TICK, sweepTook * RESTS_PER_SWEEP_WHEN_FULL)
        : Math.max(shortestRest, sweepTook * RESTS_PER_SWEEP);
  }

  private void sweep(InMemoryStore store) {
    full = false;
    long start = System.nanoTime();
    // Covers this sweep and the rest after it, if the sweep takes no longer than twice the last.
    long ahead = shortestRest + 2 * sweepTook * (RESTS_PER_SWEEP + 1);
    watched.begin(store.nowMicros(), TimeUnit.NANOSECONDS.toMicros(ahead));
    store.sweep(watched);
    sweepEnded = System.nanoTime();
    sweepTook = sweepEnded - start;
  }

  /** Waits until something may be due. */
  private boolean rest() {
    resting = true;
    if (full) {
      resting = false;
      LockSupport.parkNanos(this, TICK);
    } else {
      long rest = Math.max(shortestRest, sweepTook * RESTS_PER_SWEEP);
      LockSupport.parkNanos(this, Math.max(1, sweepEnded + rest - System.nanoTime()));
      resting = false;
    }
    return true;
  }

  /** Lets the next key start another thread, should this one have died of an error. */
  private synchronized void ended() {
    if (thread == Thread.currentThread()) {
      thread = null;
      asleep = true;
    }
  }
}
