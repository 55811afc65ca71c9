package dev.redline.core.internal.remote;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that complete acquisitions and so run callers' continuations: a few, and more while
 * continuations block them.
 */
public final class ContinuationThreads implements Executor, AutoCloseable {
  /** How long nothing completes before further threads start: longer than a preemption. */
  private static final long STALL_NANOS = 20_000_000;

  private static final int MAX_THREADS = 256;
  private static final int FEW_THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

  private final ThreadPoolExecutor pool;
  private long seenCompleted;
  private long seenNanos = System.nanoTime();

  ContinuationThreads(String name) {
    pool =
        new ThreadPoolExecutor(
            FEW_THREADS,
            MAX_THREADS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name + "-completion");
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable completion) {
    try {
      pool.execute(completion);
    } catch (RejectedExecutionException e) {
      // The store is closed: only the calls that were in progress are left.
      completion.run();
    }
  }

  /** Completes an acquisition: on this thread if no continuation depends on it, else on another. */
  void deliver(PendingCall<?, ?> pending, Object result) {
    if (pending.isDone()) {
      return;
    }
    if (pending.isBlocking()) {
      pending.settle(result);
    } else {
      execute(() -> pending.settle(result));
    }
  }

  boolean isIdle() {
    return pool.getQueue().isEmpty();
  }

  /** Starts further threads while continuations block the others; called by one thread. */
  void helpStalled(long nanos) {
    long completed = pool.getCompletedTaskCount();
    if (pool.getQueue().isEmpty() || completed != seenCompleted) {
      seenCompleted = completed;
      seenNanos = nanos;
      if (pool.getQueue().isEmpty() && pool.getCorePoolSize() > FEW_THREADS) {
        pool.setCorePoolSize(FEW_THREADS);
      }
    } else if (nanos - seenNanos > STALL_NANOS) {
      seenNanos = nanos;
      pool.setCorePoolSize(Math.min(MAX_THREADS, 2 * pool.getCorePoolSize()));
    }
  }

  @Override
  public void close() {
    pool.shutdown();
  }
}
