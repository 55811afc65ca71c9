package dev.redline.core;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter;
import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Tells one listener of decisions, on a thread of its own and in order. Whoever decides never
 * waits: when the listener is too slow, what does not fit its queue is lost and counted.
 */
final class ListenerDispatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ListenerDispatcher.class.getName());
  private static final int CAPACITY = 4096;

  private record Told(LimitCheck question, RateLimitResult result, List<RateLimitRule> rules) {}

  private final BlockingQueue<Told> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final DecisionListener listener;
  private final MetricsExporter metrics;
  private final Thread thread;
  private final FailureLog failures;

  ListenerDispatcher(DecisionListener listener, MetricsExporter metrics) {
    this.listener = listener;
    this.metrics = metrics;
    this.failures =
        new FailureLog(LOG, "a decision listener failed: " + listener.getClass().getName());
    this.thread = new Thread(this::run, "redline-listener-" + listener.getClass().getSimpleName());
    thread.setDaemon(true);
    thread.start();
  }

  void tell(LimitCheck question, RateLimitResult result, Evaluation evaluation) {
    try {
      if (listener.wants(result)
          && !queue.offer(new Told(question, result, evaluation.appliedRules()))) {
        metrics.eventDropped();
      }
    } catch (Throwable e) {
      // Also an Error: it changes no decision.
      failures.failed(e);
    }
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Told next = queue.take();
        try {
          listener.decided(next.question, next.result, next.rules);
        } catch (Throwable e) {
          failures.failed(e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
