package dev.redline.server.data;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The objects that all requests of one event loop share. Used by that event loop only. */
final class EventLoopState {
  private static final int MAX_REUSED_TEXT = 1 << 16;

  private final Context context;
  private final RequestTimers timers;
  private final Admission admission;
  private final Drain drain;
  private final BodyDeadlines deadlines;
  private StringBuilder text = new StringBuilder(512);

  EventLoopState(
      Context context,
      RequestTimers timers,
      Admission admission,
      Drain drain,
      BodyDeadlines deadlines) {
    this.context = context;
    this.timers = timers;
    this.admission = admission;
    this.drain = drain;
    this.deadlines = deadlines;
  }

  RequestTimers timers() {
    return timers;
  }

  Admission admission() {
    return admission;
  }

  Drain drain() {
    return drain;
  }

  BodyDeadlines deadlines() {
    return deadlines;
  }

  /**
   * Returns an empty builder for the text of a response. It is reused: take its text before calling
   * this again.
   */
  StringBuilder text() {
    if (text.capacity() > MAX_REUSED_TEXT) {
      text = new StringBuilder(512);
    }
    text.setLength(0);
    return text;
  }

  /** Runs a task on this event loop, after the tasks that are queued already. */
  void later(Runnable task) {
    context.runOnContext(nothing -> task.run());
  }

  /** Runs a task on this event loop after a delay. */
  void after(Duration delay, Runnable task) {
    context.owner().setTimer(Math.max(1, delay.toMillis()), timer -> task.run());
  }

  /**
   * Passes the value or exception of a stage to a handler on this event loop: at once if the stage
   * is complete, as it is with an in-memory store, else when it completes.
   */
  <T> void whenDone(CompletionStage<T> stage, Consumer<T> onValue, Consumer<Throwable> onFailure) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone()) {
      deliver(future, onValue, onFailure);
    } else {
      stage.whenComplete((value, failure) -> later(() -> deliver(future, onValue, onFailure)));
    }
  }

  /** Runs a long task on a worker thread, and passes its value to a handler on this event loop. */
  <T> void offLoop(
      Callable<CompletionStage<T>> task, Consumer<T> onValue, Consumer<Throwable> onFailure) {
    whenDone(
        context.executeBlocking(task, false).toCompletionStage().thenCompose(stage -> stage),
        onValue,
        onFailure);
  }

  private static <T> void deliver(
      CompletableFuture<T> done, Consumer<T> onValue, Consumer<Throwable> onFailure) {
    T value;
    try {
      value = done.join();
    } catch (CompletionException e) {
      onFailure.accept(e.getCause() == null ? e : e.getCause());
      return;
    }
    try {
      onValue.accept(value);
    } catch (RuntimeException e) {
      onFailure.accept(e);
    }
  }
}
