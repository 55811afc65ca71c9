package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.store.Acquisition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Threads that start together and call a store several times each. */
record ConcurrentCallers(int threads, int times) {
  int countAllowed(CheckedStore store, IntFunction<Acquisition> acquisitions) {
    AtomicInteger allowed = new AtomicInteger();
    call(store, acquisitions, acquisition -> allowed.incrementAndGet());
    return allowed.get();
  }

  void call(
      CheckedStore store, IntFunction<Acquisition> acquisitions, Consumer<Acquisition> onAllowed) {
    CountDownLatch start = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> callers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int i = 0; i < times; i++) {
                    Acquisition acquisition = acquisitions.apply(number * times + i);
                    if (store.underTest().decide(acquisition).allowed()) {
                      onAllowed.accept(acquisition);
                    }
                  }
                } catch (InterruptedException | RuntimeException | Error e) {
                  failure.compareAndSet(null, e);
                }
              });
      callers.add(thread);
      thread.start();
    }
    start.countDown();
    callers.forEach(ConcurrentCallers::join);
    assertThat(failure.get()).isNull();
  }

  private static void join(Thread thread) {
    try {
      thread.join(60_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(thread.isAlive()).as("a thread still waits for its outcome").isFalse();
  }
}
