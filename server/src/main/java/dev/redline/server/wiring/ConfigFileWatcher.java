package dev.redline.server.wiring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The thread that checks the configuration file for changes. */
final class ConfigFileWatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ConfigFileWatcher.class.getName());

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread named = new Thread(task, "redline-watcher");
            named.setDaemon(true);
            return named;
          });

  /** Runs a task at a fixed delay; a failure is logged and does not end the repetition. */
  void every(Duration interval, Runnable task) {
    long millis = Math.max(1, interval.toMillis());
    var unused =
        thread.scheduleWithFixedDelay(() -> runLogged(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "checking the configuration file failed", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
