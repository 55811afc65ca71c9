package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real timer, with continuations that block all of its threads. */
@Tag("stress")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedWaitTimerTest {
  private static final int MANY = 200_000;

  private final SharedWaitTimer timer = new SharedWaitTimer();

  @Test
  void theTimerIsOnTimeWhileManyResultsWaitForAThread() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch received = new CountDownLatch(MANY);
    for (int i = 0; i < MANY; i++) {
      timer
          .continuations()
          .execute(
              () -> {
                awaitQuietly(release);
                received.countDown();
              });
    }
    try {
      assertTimeoutPreemptively(
          Duration.ofSeconds(10),
          () -> {
            for (int i = 0; i < 20; i++) {
              CountDownLatch due = new CountDownLatch(1);
              timer.schedule(due::countDown, 0);
              due.await();
            }
          });
    } finally {
      release.countDown();
    }
    assertThat(received.await(30, TimeUnit.SECONDS)).as("every result arrives").isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
