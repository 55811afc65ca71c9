package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A thread that waits for a change. */
final class WaitingThread {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Thread thread;

  private WaitingThread(ConfigProvider source, Duration atMost) {
    thread =
        new Thread(
            () -> {
              try {
                source.awaitChange(atMost);
              } catch (IOException | InterruptedException | RuntimeException e) {
                failure.set(e);
              }
              ended.countDown();
            },
            "rule-source-contract");
    thread.setDaemon(true);
  }

  static WaitingThread start(ConfigProvider source, Duration atMost) {
    WaitingThread waiter = new WaitingThread(source, atMost);
    waiter.thread.start();
    return waiter;
  }

  void interrupt() {
    thread.interrupt();
  }

  @Nullable Throwable failure() {
    return failure.get();
  }

  void assertStillWaiting() throws InterruptedException {
    assertThat(ended.await(300, TimeUnit.MILLISECONDS)).as("the wait has ended").isFalse();
  }

  void assertEndsPromptly() throws InterruptedException {
    assertEnds(RuleSourceContract.PROMPTLY);
  }

  void assertEnds(Duration within) throws InterruptedException {
    assertThat(ended.await(within.toMillis(), TimeUnit.MILLISECONDS))
        .as("the wait ends within " + within)
        .isTrue();
  }
}
