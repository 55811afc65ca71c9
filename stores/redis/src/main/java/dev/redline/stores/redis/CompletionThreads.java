package dev.redline.stores.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The threads that complete acquisitions and so run callers' continuations, which must not run on
 * an I/O thread.
 *
 * <p>A continuation that blocks delays others only briefly: {@link #helpStalled} detects a delivery
 * that makes no progress and continues it on further threads.
 */
final class CompletionThreads implements AutoCloseable {
  /**
   * How long a delivery makes no progress before it counts as stalled: longer than a preemption.
   */
  private static final long STALL_NANOS = 20_000_000;

  private static final int MAX_HELPERS = 256;
  private static final long WARNING_PAUSE_NANOS = 60_000_000_000L;
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());

  private final Executor threads;
  private final LongSupplier nanoClock;
  private final ThreadPoolExecutor helpers =
      new ThreadPoolExecutor(
          0, MAX_HELPERS, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), CompletionThreads::helper);
  private final Set<ResultDelivery> active = ConcurrentHashMap.newKeySet();
  private long warnedNanos;

  CompletionThreads() {
    this(
        new ForkJoinPool(
            Math.max(2, Runtime.getRuntime().availableProcessors()), Worker::new, null, true),
        System::nanoTime);
  }

  CompletionThreads(Executor threads, LongSupplier nanoClock) {
    this.threads = threads;
    this.nanoClock = nanoClock;
    this.warnedNanos = nanoClock.getAsLong() - WARNING_PAUSE_NANOS;
  }

  private static Thread helper(Runnable task) {
    Thread thread = new Thread(task, "redline-redis-helper");
    thread.setDaemon(true);
    return thread;
  }

  /** Delivers results on a thread of the pool. */
  void deliver(ResultDelivery delivery) {
    active.add(delivery);
    try {
      threads.execute(() -> run(delivery));
    } catch (RejectedExecutionException e) {
      // The store is closed: only the calls that were in flight are left.
      delivery.run();
      active.remove(delivery);
    }
  }

  private void run(ResultDelivery delivery) {
    DeferredLanes.during(() -> finish(delivery));
  }

  private void finish(ResultDelivery delivery) {
    delivery.run();
    active.remove(delivery);
  }

  /** Returns whether no delivery is active. */
  boolean isIdle() {
    return active.isEmpty();
  }

  /** Starts further threads for deliveries that a continuation blocks; called by one thread. */
  void helpStalled(long nanos) {
    for (ResultDelivery delivery : active) {
      int needed = delivery.isComplete() ? 0 : delivery.helpersNeeded(nanos, STALL_NANOS);
      if (needed > 0) {
        delivery.completeBlocking();
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
      // The rest is tried again at the next check.
      long now = nanoClock.getAsLong();
      if (now - warnedNanos > WARNING_PAUSE_NANOS) {
        warnedNanos = now;
        LOG.log(
            Level.WARNING,
            MAX_HELPERS
                + " threads are blocked by continuations of acquisitions;"
                + " run blocking code on your own executor");
      }
    }
  }

  @Override
  public void close() {
    if (threads instanceof ForkJoinPool pool) {
      pool.shutdown();
    }
  }

  private static final class Worker extends ForkJoinWorkerThread {
    Worker(ForkJoinPool pool) {
      super(pool);
    }

    @Override
    protected void onStart() {
      super.onStart();
      setName("redline-redis-completion-" + getPoolIndex()); // the constructor's index is always 0
    }
  }
}
