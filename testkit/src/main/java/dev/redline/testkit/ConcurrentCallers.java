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

/** Threads that start together and each ask several times. */
record ConcurrentCallers(int threads, int times) {
  int passing(CheckedStore store, IntFunction<Acquisition> question) {
    AtomicInteger passed = new AtomicInteger();
    ask(store, question, acquisition -> passed.incrementAndGet());
    return passed.get();
  }

  void ask(
      CheckedStore store, IntFunction<Acquisition> question, Consumer<Acquisition> whenPassed) {
    CountDownLatch start = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> crowd = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int i = 0; i < times; i++) {
                    Acquisition acquisition = question.apply(number * times + i);
                    if (store.underTest().decide(acquisition).allowed()) {
                      whenPassed.accept(acquisition);
                    }
                  }
                } catch (InterruptedException | RuntimeException | Error e) {
                  failure.compareAndSet(null, e);
                }
              });
      crowd.add(thread);
      thread.start();
    }
    start.countDown();
    crowd.forEach(ConcurrentCallers::join);
    assertThat(failure.get()).isNull();
  }

  private static void join(Thread thread) {
    try {
      thread.join(60_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(thread.isAlive()).as("a thread still waits for its answer").isFalse();
  }
}
