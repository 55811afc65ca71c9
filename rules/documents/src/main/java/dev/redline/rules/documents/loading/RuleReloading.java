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
 * The one thread that follows the sources of rules: told by those that can be watched, and looking
 * from time to time in any case. A source that cannot be reached is tried again soon, then less and
 * less often, and never by all nodes at the same moment.
 */
public final class RuleReloading implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RuleReloading.class.getName());
  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
  private static final Duration LAST_LOAD = Duration.ofSeconds(3);

  private final RuleLoader loader;
  private final long pollingMillis;
  private final AtomicBoolean toldAlready = new AtomicBoolean();
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
   * Begins to follow the sources of a loader that has started.
   *
   * @param watch whether sources may tell; otherwise they are only polled
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
    // What changed between the first load and now was told to nobody.
    reloading.soon();
    reloading.schedule(reloading.pollingMillis, reloading::poll);
    return reloading;
  }

  /** Loads as soon as the thread is free; many calls at once are one load. */
  public void soon() {
    if (toldAlready.compareAndSet(false, true)) {
      try {
        thread.execute(
            () -> {
              toldAlready.set(false);
              reload();
            });
      } catch (RejectedExecutionException e) {
        LOG.log(Level.DEBUG, "told of a change after the end");
      }
    }
  }

  private void reload() {
    try {
      loader.reload();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "loading rules failed", e);
    }
    if (!loader.isSomeSourceAway()) {
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
      LOG.log(Level.DEBUG, "closed meanwhile");
    }
  }

  /** Stops, and lets a load that is under way come to its end; the sources stay open. */
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
