package dev.redline.rules.redis;

import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A thread that waits for changes of a source, and counts them. */
final class ChangeCounter implements AutoCloseable {
  private final AtomicInteger changes = new AtomicInteger();
  private final Thread thread;

  private ChangeCounter(ConfigProvider source) {
    thread = new Thread(() -> run(source), "change-counter");
    thread.setDaemon(true);
  }

  static ChangeCounter of(ConfigProvider source) {
    ChangeCounter counter = new ChangeCounter(source);
    counter.thread.start();
    return counter;
  }

  private void run(ConfigProvider source) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          source.awaitChange(Duration.ofMinutes(1));
          changes.incrementAndGet();
        } catch (IOException e) {
          TimeUnit.MILLISECONDS.sleep(100);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  int get() {
    return changes.get();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
