package dev.redline.stores.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which callers hear of results, so that their code never runs on an I/O thread.
 *
 * <p>What a continuation acquires while the results of one call are delivered leaves when the last
 * of them is delivered, or when enough has gathered: so the acquisitions that follow the results of
 * one call leave in one call again, instead of the first of them alone.
 *
 * <p>A continuation that blocks holds up nobody else for long: {@link #watch} sees a delivery that
 * does not advance and lets further threads go on with it.
 */
final class CompletionThreads implements AutoCloseable {
  /**
   * How long a delivery may stand still before further threads help: no pause a scheduler makes.
   */
  private static final long PATIENCE_NANOS = 20_000_000;

  private static final int MAX_HELPERS = 256;
  private static final long WARNING_PAUSE_NANOS = 60_000_000_000L;
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());

  private final ForkJoinPool pool =
      new ForkJoinPool(
          Math.max(2, Runtime.getRuntime().availableProcessors()), Worker::new, null, true);
  private final ThreadPoolExecutor helpers =
      new ThreadPoolExecutor(
          0, MAX_HELPERS, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), CompletionThreads::helper);
  private final Set<ResultDelivery> active = ConcurrentHashMap.newKeySet();
  private long warnedNanos = System.nanoTime() - WARNING_PAUSE_NANOS;

  private static Thread helper(Runnable task) {
    Thread thread = new Thread(task, "redline-redis-helper");
    thread.setDaemon(true);
    return thread;
  }

  /** Delivers results; the acquisitions that follow are sent at the end of it. */
  void deliver(ResultDelivery delivery) {
    active.add(delivery);
    try {
      pool.execute(() -> run(delivery));
    } catch (RejectedExecutionException e) {
      // The store is closed: only the calls that were under way then are left.
      delivery.run();
      active.remove(delivery);
    }
  }

  private void run(ResultDelivery delivery) {
    Worker worker = worker();
    if (worker == null || worker.held != null) {
      finish(delivery);
      return;
    }
    Held held = new Held();
    worker.held = held;
    try {
      finish(delivery);
    } finally {
      worker.held = null;
      held.release();
    }
  }

  private void finish(ResultDelivery delivery) {
    delivery.run();
    active.remove(delivery);
  }

  /** Returns whether no delivery is under way. */
  boolean isIdle() {
    return active.isEmpty();
  }

  /** Helps the deliveries that a caller's code holds up; called by one thread. */
  void watch(long nanos) {
    for (ResultDelivery delivery : active) {
      int needed = delivery.isOver() ? 0 : delivery.helpNeeded(nanos, PATIENCE_NANOS);
      if (needed > 0) {
        delivery.wakeWaiting();
        help(delivery, needed);
      }
    }
  }

  private void help(ResultDelivery delivery, int threads) {
    try {
      for (int i = 0; i < threads; i++) {
        helpers.execute(() -> finish(delivery));
      }
    } catch (RejectedExecutionException e) {
      // What is left is tried again at the next look.
      long now = System.nanoTime();
      if (now - warnedNanos > WARNING_PAUSE_NANOS) {
        warnedNanos = now;
        LOG.log(
            Level.WARNING,
            MAX_HELPERS
                + " threads are blocked by continuations of acquisitions;"
                + " run code that blocks on an executor of your own");
      }
    }
  }

  /**
   * Returns the lanes that wait for the end of what this thread gives out, or null if it does not.
   */
  static @Nullable Held held() {
    Worker worker = worker();
    return worker == null ? null : worker.held;
  }

  private static @Nullable Worker worker() {
    return Thread.currentThread() instanceof Worker worker ? worker : null;
  }

  @Override
  public void close() {
    pool.shutdown();
  }

  /** Lanes with acquisitions that leave together; touched by one thread only. */
  static final class Held {
    private Lane[] lanes = new Lane[4];
    private int size;

    void add(Lane lane) {
      if (size > 0 && lanes[size - 1] == lane) {
        return;
      }
      if (size == lanes.length) {
        lanes = Arrays.copyOf(lanes, size * 2);
      }
      lanes[size++] = lane;
    }

    private void release() {
      for (int i = 0; i < size; i++) {
        lanes[i].drain();
      }
    }
  }

  private static final class Worker extends ForkJoinWorkerThread {
    private @Nullable Held held;

    Worker(ForkJoinPool pool) {
      super(pool);
      setName("redline-redis-answers-" + getPoolIndex());
    }
  }
}
