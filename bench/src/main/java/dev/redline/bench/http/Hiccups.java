package dev.redline.bench.http;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures how late a sleeping thread of this JVM wakes up, as jHiccup does: the part of a latency
 * that a busy machine adds to that of the server.
 */
final class Hiccups implements AutoCloseable {
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Histogram delays = new Histogram(3);
  private final Thread thread = new Thread(this::run, "hiccups");
  private volatile boolean stopped;

  static Hiccups start() {
    Hiccups hiccups = new Hiccups();
    hiccups.thread.setDaemon(true);
    hiccups.thread.start();
    return hiccups;
  }

  private void run() {
    try {
      while (!stopped) {
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(NAP_NANOS);
        long late = Math.max(0, System.nanoTime() - start - NAP_NANOS);
        delays.recordValueWithExpectedInterval(late, NAP_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the measurement; returns a percentile of the delays in milliseconds. */
  double stop(double percentile) throws InterruptedException {
    stopped = true;
    thread.join();
    return delays.getValueAtPercentile(percentile) / 1e6;
  }

  @Override
  public void close() {
    stopped = true;
  }
}
