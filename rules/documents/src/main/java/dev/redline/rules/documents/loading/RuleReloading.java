package dev.redline.rules.documents.loading;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The thread that reloads rules: when a watched source notifies it of a change, and at the polling
 * interval. An unreachable source is retried with exponential backoff. All delays have jitter, so
 * that nodes do not load at the same moment.
 */
public final class RuleReloading implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RuleReloading.class.getName());
  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
  private static final Duration LAST_LOAD = Duration.ofSeconds(3);

  private final RuleLoader loader;
  private final long pollingMillis;
  private final AtomicBoolean loadPending = new AtomicBoolean();
  private final AtomicBoolean retryPending = new AtomicBoolean();
  private long retryMillis = FIRST_RETRY.toMillis();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          task -> {
            Thread named = new Thread(task, "redline-rules");
            named.setDaemon(true);
            return named;
          });

  private RuleReloading(RuleLoader loader, Duration pollingInterval) {
    this.loader = loader;
    this.pollingMillis = Math.max(1, pollingInterval.toMillis());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * Starts to reload the rules of a loader that was started.
   *
   * @param watch whether sources are watched; otherwise they are only polled
   */
  public static RuleReloading start(RuleLoader loader, Duration pollingInterval, boolean watch) {
    RuleReloading reloading = new RuleReloading(loader, pollingInterval);
    if (watch) {
      for (RuleSource source : loader.sources()) {
        if (source.live()) {
          source.provider().watch(reloading::soon);
        }
      }
    }
    // A change between the first load and the start of the watch caused no notification.
    reloading.soon();
    reloading.schedule(reloading.pollingMillis, reloading::poll);
    return reloading;
  }

  /** Loads as soon as the thread is free; calls before that load starts share it. */
  public void soon() {
    if (loadPending.compareAndSet(false, true)) {
      try {
        thread.execute(
            () -> {
              loadPending.set(false);
              reload();
            });
      } catch (RejectedExecutionException e) {
        LOG.log(Level.DEBUG, "change ignored: reloading is closed");
      }
    }
  }

  private void reload() {
    try {
      loader.reload();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "loading rules failed", e);
    }
    if (!loader.isSomeSourceUnreachable()) {
      retryMillis = FIRST_RETRY.toMillis();
    } else if (retryPending.compareAndSet(false, true)) {
      schedule(
          retryMillis,
          () -> {
            retryPending.set(false);
            reload();
          });
      retryMillis = Math.min(2 * retryMillis, LONGEST_RETRY.toMillis());
    }
  }

  private void poll() {
    reload();
    schedule(pollingMillis, this::poll);
  }

  private void schedule(long millis, Runnable task) {
    long jittered = millis - ThreadLocalRandom.current().nextLong(millis / 4 + 1);
    try {
      var unused = thread.schedule(task, jittered, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "not scheduled: reloading is closed");
    }
  }

  /** Stops after a running load has finished, or after 3 seconds. The sources stay open. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LAST_LOAD.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
