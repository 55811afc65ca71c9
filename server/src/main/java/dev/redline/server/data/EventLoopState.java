package dev.redline.server.data;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** What the requests of one event loop share; used on that event loop alone. */
final class EventLoopState {
  private static final int LARGEST_KEPT_TEXT = 1 << 16;

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

  /** Returns an empty builder for an answer; the same one every time, so finish it at once. */
  StringBuilder text() {
    if (text.capacity() > LARGEST_KEPT_TEXT) {
      text = new StringBuilder(512);
    }
    text.setLength(0);
    return text;
  }

  /** Does something on this event loop after everything it has to do now. */
  void later(Runnable task) {
    context.runOnContext(nothing -> task.run());
  }

  /** Does something on this event loop after some time. */
  void after(Duration delay, Runnable task) {
    context.owner().setTimer(Math.max(1, delay.toMillis()), timer -> task.run());
  }

  /** Hands over what a stage yields: at once if it is there already, else when it comes. */
  <T> void whenDone(CompletionStage<T> stage, Consumer<T> yielded, Consumer<Throwable> failed) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone()) {
      deliver(future, yielded, failed);
    } else {
      stage.whenComplete((value, failure) -> later(() -> deliver(future, yielded, failed)));
    }
  }

  /** Begins something that takes long on another thread, and hands over what it yields here. */
  <T> void offLoop(
      Callable<CompletionStage<T>> task, Consumer<T> yielded, Consumer<Throwable> failed) {
    whenDone(
        context.executeBlocking(task, false).toCompletionStage().thenCompose(stage -> stage),
        yielded,
        failed);
  }

  private static <T> void deliver(
      CompletableFuture<T> done, Consumer<T> yielded, Consumer<Throwable> failed) {
    T value;
    try {
      value = done.join();
    } catch (CompletionException e) {
      failed.accept(e.getCause() == null ? e : e.getCause());
      return;
    }
    try {
      yielded.accept(value);
    } catch (RuntimeException e) {
      failed.accept(e);
    }
  }
}
