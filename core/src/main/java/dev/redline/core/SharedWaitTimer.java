package dev.redline.core;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One timer thread and a bounded pool for continuations, both ended when idle.
 *
 * <p>Waiting goes on while continuations block: the timer runs none of them. If all threads of the
 * pool are blocked, results are delivered as soon as one of them is free.
 */
final class SharedWaitTimer implements WaitTimer {
  private static final int MAX_CONTINUATIONS = 256;
  private static final long IDLE_SECONDS = 10;
  private static final long RETRY_NANOS = 1_000_000;

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, daemons("redline-wait-timer"));
  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(
          0,
          MAX_CONTINUATIONS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemons("redline-wait-result"));
  private final Queue<Runnable> backlog = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean retrying = new AtomicBoolean();

  SharedWaitTimer() {
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Runnable schedule(Runnable task, long nanos) {
    ScheduledFuture<?> scheduled = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  @Override
  public Executor continuations() {
    return this::deliver;
  }

  private void deliver(Runnable continuation) {
    if (!backlog.isEmpty() || !startsNow(continuation)) {
      backlog.add(continuation);
      retry();
    }
  }

  private boolean startsNow(Runnable continuation) {
    try {
      pool.execute(continuation);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      return false;
    }
  }

  /** Looks at the backlog soon; one look at a time, however many results wait. */
  private void retry() {
    if (retrying.compareAndSet(false, true)) {
      schedule(this::deliverBacklog, RETRY_NANOS);
    }
  }

  /**
   * Runs only on the timer's thread. A thread that adds a result after the last look sees the flag.
   */
  private void deliverBacklog() {
    for (Runnable next = backlog.peek(); next != null && startsNow(next); next = backlog.peek()) {
      backlog.remove();
    }
    retrying.set(false);
    if (!backlog.isEmpty()) {
      retry();
    }
  }
}
