package dev.redline.server.data;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks that take long on a few threads of their own, so that they cannot take the processors
 * from the event loops. Beyond a number of waiting tasks further ones get 503. Thread-safe.
 */
final class LongTasks {
  private final WorkerExecutor threads;
  private final int maxTasks;
  private final AtomicInteger tasks = new AtomicInteger();

  LongTasks(Vertx vertx, int threadCount, int maxTasks) {
    this.threads = vertx.createSharedWorkerExecutor("redline-long-tasks", threadCount);
    this.maxTasks = maxTasks;
  }

  /** Runs a task; the stage fails with an {@link HttpProblem} if there are too many. */
  <T> CompletionStage<T> run(Callable<CompletionStage<T>> task) {
    if (tasks.incrementAndGet() > maxTasks) {
      tasks.decrementAndGet();
      return CompletableFuture.failedFuture(Router.overloaded());
    }
    return threads
        .executeBlocking(task, false)
        .toCompletionStage()
        .thenCompose(stage -> stage)
        .whenComplete((value, failure) -> tasks.decrementAndGet());
  }
}
