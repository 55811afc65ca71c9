package dev.redline.server.wiring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The one thread that looks whether the configuration file changed. */
final class ConfigFileWatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ConfigFileWatcher.class.getName());

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread named = new Thread(task, "redline-watcher");
            named.setDaemon(true);
            return named;
          });

  /** Does something again and again; a failure is logged and the next time comes. */
  void every(Duration interval, Runnable task) {
    long millis = Math.max(1, interval.toMillis());
    var unused =
        thread.scheduleWithFixedDelay(() -> quietly(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  private static void quietly(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "watching failed", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
