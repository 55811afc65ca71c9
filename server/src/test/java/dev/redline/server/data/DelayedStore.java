package dev.redline.server.data;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose outcomes arrive after a delay, on another thread, like those of a remote one. */
final class DelayedStore implements StorageProvider {
  private final StorageProvider store;
  private final AtomicInteger decisions = new AtomicInteger();

  /** Not the common pool: on two processors a test that blocks has its only thread. */
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private volatile Duration delay = Duration.ZERO;

  DelayedStore(StorageProvider store) {
    this.store = store;
  }

  void delay(Duration value) {
    delay = value;
  }

  int decisions() {
    return decisions.get();
  }

  @Override
  public String type() {
    return "delayed";
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    decisions.incrementAndGet();
    CompletionStage<Outcome> outcome = store.acquire(acquisition);
    return delay.isZero()
        ? outcome
        : outcome.thenCompose(
            value ->
                CompletableFuture.supplyAsync(
                    () -> value,
                    CompletableFuture.delayedExecutor(
                        delay.toNanos(), TimeUnit.NANOSECONDS, threads)));
  }

  @Override
  public void close() {
    store.close();
    threads.shutdown();
  }
}
