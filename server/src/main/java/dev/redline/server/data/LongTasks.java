package dev.redline.server.data;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs tasks that take long on a few threads of their own, so that they cannot take the processors
 * from the event loops. Tasks have a weight, such as the bytes they keep in memory; beyond a total
 * weight further ones get 503. Thread-safe.
 */
final class LongTasks {
  private final WorkerExecutor threads;
  private final long maxWeight;
  private final AtomicLong weight = new AtomicLong();

  LongTasks(Vertx vertx, String name, int threadCount, long maxWeight) {
    this.threads = vertx.createSharedWorkerExecutor(name, threadCount);
    this.maxWeight = maxWeight;
  }

  /** Runs a task; the stage fails with an {@link HttpProblem} if there are too many. */
  <T> CompletionStage<T> run(long taskWeight, Callable<CompletionStage<T>> task) {
    if (weight.addAndGet(taskWeight) > maxWeight) {
      weight.addAndGet(-taskWeight);
      return CompletableFuture.failedFuture(Router.overloaded());
    }
    return threads
        .executeBlocking(task, false)
        .toCompletionStage()
        .thenCompose(stage -> stage)
        .whenComplete((value, failure) -> weight.addAndGet(-taskWeight));
  }
}
