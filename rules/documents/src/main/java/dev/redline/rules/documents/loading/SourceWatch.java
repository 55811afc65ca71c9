package dev.redline.rules.documents.loading;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The thread that keeps one source up to date: it waits until the source may have changed or its
 * polling interval is over, loads it, and starts again.
 *
 * <p>While the source cannot be reached or watched, it is loaded with exponential backoff instead.
 * All delays have jitter, so that nodes do not load at the same moment. A source that reports
 * changes too often is loaded less often, but at least twice per second.
 */
final class SourceWatch {
  private static final Logger LOG = System.getLogger(SourceWatch.class.getName());
  private static final long FIRST_RETRY_MILLIS = 200;
  private static final long LONGEST_RETRY_MILLIS = 5_000;
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final RuleLoader loader;
  private final RuleSource source;
  private final long pollMillis;
  private final boolean watch;
  private final Thread thread;
  private long retryMillis = FIRST_RETRY_MILLIS;
  private long pauseMillis = FIRST_PAUSE_MILLIS;
  private boolean waiting;
  private boolean closed;

  /**
   * Creates the thread.
   *
   * @param pollingInterval how often the source is loaded unless it has an interval of its own
   * @param watch whether the source is watched; otherwise it is only polled
   */
  SourceWatch(RuleLoader loader, RuleSource source, Duration pollingInterval, boolean watch) {
    this.loader = loader;
    this.source = source;
    this.pollMillis =
        Math.max(1, source.provider().pollInterval().orElse(pollingInterval).toMillis());
    this.watch = watch;
    this.thread = new Thread(this::run, "redline-rules " + source.provider().name());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    // A change between the first load and the start of this thread caused no notification.
    boolean reachable = load().reachable();
    while (beginWaiting()) {
      boolean watched = false;
      try {
        watched = reachable && awaitChange();
        sleep(watched ? pauseMillis : nextRetry());
      } catch (InterruptedException e) {
        LOG.log(Level.DEBUG, "{0}: waiting was interrupted", source.provider().name());
      } finally {
        endWaiting();
      }
      if (isClosed()) {
        return;
      }
      SourceLoad load = load();
      reachable = load.reachable();
      retryMillis = reachable && watched ? FIRST_RETRY_MILLIS : retryMillis;
      pauseMillis = load.changed() ? FIRST_PAUSE_MILLIS : pauseMillis;
    }
  }

  private SourceLoad load() {
    try {
      return loader.loadSource(source.provider());
    } catch (RuntimeException | Error e) {
      // Errors too, such as OutOfMemoryError: without this thread, the source would never heal.
      LOG.log(Level.ERROR, source.provider().name() + ": loading rules failed", e);
      return new SourceLoad(false, false);
    }
  }

  /** Returns false if the source cannot be watched now. */
  private boolean awaitChange() throws InterruptedException {
    long atMost = jittered(pollMillis);
    long started = System.nanoTime();
    try {
      if (watch) {
        source.provider().awaitChange(Duration.ofMillis(atMost));
      } else {
        TimeUnit.MILLISECONDS.sleep(atMost);
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(Level.DEBUG, source.provider().name() + " cannot be watched: " + e.getMessage(), e);
      return false;
    }
    long waitedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
    boolean early = waitedMillis < Math.min(atMost, LONGEST_PAUSE_MILLIS);
    pauseMillis = early ? Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS) : FIRST_PAUSE_MILLIS;
    return true;
  }

  private long nextRetry() {
    long millis = jittered(retryMillis);
    retryMillis = Math.min(2 * retryMillis, LONGEST_RETRY_MILLIS);
    return millis;
  }

  private static long jittered(long millis) {
    return millis - ThreadLocalRandom.current().nextLong(millis / 4 + 1);
  }

  private static void sleep(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  /** Returns false if it is closed; from now on {@link #close} interrupts. */
  private synchronized boolean beginWaiting() {
    waiting = !closed;
    return waiting;
  }

  private synchronized void endWaiting() {
    waiting = false;
    var unused = Thread.interrupted();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Ends the thread: at once if it waits, else after the running load. */
  synchronized void close() {
    closed = true;
    if (waiting) {
      thread.interrupt();
    }
  }

  /** Waits until the thread has ended; interrupts a load that takes longer. */
  void awaitEnd(long millis) throws InterruptedException {
    thread.join(Math.max(1, millis));
    thread.interrupt();
  }
}
