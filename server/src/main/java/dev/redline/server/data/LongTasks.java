package dev.redline.server.data;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs tasks that take long on a few threads of their own, so that they cannot take the processors
 * from the event loops. Tasks have a weight, such as the bytes they keep in memory. Beyond a total
 * weight further ones get 503, and so do tasks that waited too long for a thread, unless the
 * service is shutting down: then every request is served that was received. Thread-safe.
 */
final class LongTasks {
  private final WorkerExecutor threads;
  private final long maxWeight;
  private final long maxWaitNanos;
  private final AtomicLong weight = new AtomicLong();

  /** Creates the limits of some tasks; those with the same name share their threads. */
  LongTasks(Vertx vertx, String name, int threadCount, long maxWeight, Duration maxWait) {
    this.threads = vertx.createSharedWorkerExecutor(name, threadCount);
    this.maxWeight = maxWeight;
    this.maxWaitNanos = maxWait.toNanos();
  }

  /**
   * Runs the task of an exchange, unless its client has gone meanwhile; the stage fails with an
   * {@link HttpProblem} if there are too many tasks.
   */
  <T> CompletionStage<T> run(
      Exchange exchange, long taskWeight, Callable<CompletionStage<T>> task) {
    Drain drain = exchange.loop().drain();
    if (weight.addAndGet(taskWeight) > maxWeight && !drain.hasBegun()) {
      weight.addAndGet(-taskWeight);
      return CompletableFuture.failedFuture(Router.overloaded());
    }
    exchange.watchClient();
    long begun = System.nanoTime();
    try {
      return threads
          .executeBlocking(
              () -> {
                exchange.requireClient();
                if (System.nanoTime() - begun > maxWaitNanos && !drain.hasBegun()) {
                  throw Router.overloaded();
                }
                return task.call();
              },
              false)
          .toCompletionStage()
          .thenCompose(stage -> stage)
          .whenComplete((value, failure) -> weight.addAndGet(-taskWeight));
    } catch (RuntimeException | Error e) {
      weight.addAndGet(-taskWeight);
      throw e;
    }
  }
}
