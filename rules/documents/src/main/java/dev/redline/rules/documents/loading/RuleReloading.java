package dev.redline.rules.documents.loading;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reloads rules: each source has a thread that waits for a change or the end of its polling
 * interval, so that a slow source does not delay the others.
 */
public final class RuleReloading implements AutoCloseable {
  private static final Duration LAST_LOAD = Duration.ofSeconds(3);

  private final List<SourceWatch> watches;

  private RuleReloading(List<SourceWatch> watches) {
    this.watches = watches;
  }

  /**
   * Starts to reload the rules of a loader that was started.
   *
   * @param pollingInterval how often sources are loaded that have no interval of their own
   * @param watch whether sources are watched; otherwise they are only polled
   */
  public static RuleReloading start(RuleLoader loader, Duration pollingInterval, boolean watch) {
    List<SourceWatch> watches =
        loader.sources().stream()
            .filter(RuleSource::live)
            .map(source -> new SourceWatch(loader, source, pollingInterval, watch))
            .toList();
    watches.forEach(SourceWatch::start);
    return new RuleReloading(watches);
  }

  /** Stops after running loads have finished, or after 3 seconds. The sources stay open. */
  @Override
  public void close() {
    watches.forEach(SourceWatch::close);
    long deadline = System.nanoTime() + LAST_LOAD.toNanos();
    try {
      for (SourceWatch watch : watches) {
        watch.awaitEnd(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
