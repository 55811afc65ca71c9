package dev.redline.server.data;

import dev.redline.server.logging.DenialLog;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The objects that all requests of one event loop share. Used by that event loop only. */
final class EventLoopState {
  private static final int MAX_REUSED_TEXT = 1 << 16;

  /** How long the rest of a body that is not needed is read over HTTP/2. */
  private static final Duration DISCARD_TIMEOUT = Duration.ofSeconds(1);

  private final Context context;
  private final RequestTimers timers;
  private final Admission admission;
  private final Drain drain;
  private final ExchangeDeadlines bodies;
  private final ExchangeDeadlines unsent;
  private final ExchangeDeadlines discarding;
  private final DenialLog denials;
  private StringBuilder text = new StringBuilder(512);

  EventLoopState(
      Context context,
      RequestTimers timers,
      Admission admission,
      Drain drain,
      Duration bodyTimeout,
      Duration writeTimeout,
      DenialLog denials) {
    this.context = context;
    this.timers = timers;
    this.admission = admission;
    this.drain = drain;
    this.bodies = new ExchangeDeadlines(bodyTimeout, Exchange::bodyIsLate);
    this.unsent = new ExchangeDeadlines(writeTimeout, Exchange::responseIsLate);
    this.discarding = new ExchangeDeadlines(DISCARD_TIMEOUT, Exchange::stopBody);
    this.denials = denials;
    every(bodies);
    every(unsent);
    every(discarding);
  }

  private void every(ExchangeDeadlines deadlines) {
    context
        .owner()
        .setPeriodic(
            Math.max(1, deadlines.interval().toMillis()),
            timer -> deadlines.expire(System.nanoTime()));
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

  /** Returns the requests that wait for their body. */
  ExchangeDeadlines bodies() {
    return bodies;
  }

  /** Returns the HTTP/2 requests whose response is not sent completely. */
  ExchangeDeadlines unsent() {
    return unsent;
  }

  /** Returns the HTTP/2 requests that are answered, and whose body is still arriving. */
  ExchangeDeadlines discarding() {
    return discarding;
  }

  DenialLog denials() {
    return denials;
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
    } catch (RuntimeException | Error e) {
      onFailure.accept(e);
    }
  }
}
