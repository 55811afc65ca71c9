package dev.redline.core;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter;
import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Notifies one listener of decisions, on a thread of its own and in order, through a bounded queue.
 * Publishing never waits: when the listener is too slow, a notice that does not fit the queue is
 * dropped and counted.
 */
final class ListenerDispatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ListenerDispatcher.class.getName());
  private static final int CAPACITY = 4096;

  private record Notice(LimitCheck check, RateLimitResult result, List<RateLimitRule> rules) {}

  private final BlockingQueue<Notice> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final DecisionListener listener;
  private final MetricsExporter metrics;
  private final Thread thread;
  private final FailureLog failures;

  /** Beside the interrupt, which a listener may swallow. */
  private volatile boolean closed;

  ListenerDispatcher(DecisionListener listener, MetricsExporter metrics) {
    this.listener = listener;
    this.metrics = metrics;
    this.failures =
        new FailureLog(LOG, "a decision listener failed: " + listener.getClass().getName());
    this.thread = new Thread(this::run, "redline-listener-" + listener.getClass().getSimpleName());
    thread.setDaemon(true);
    thread.start();
  }

  void publish(LimitCheck check, RateLimitResult result, Evaluation evaluation) {
    try {
      if (listener.wants(result)
          && (closed || !queue.offer(new Notice(check, result, evaluation.appliedRules())))) {
        metrics.eventDropped();
      }
    } catch (Throwable e) {
      // Also an Error: it changes no decision.
      failures.failed(e);
    }
  }

  private void run() {
    try {
      while (!closed) {
        Notice next = queue.take();
        try {
          listener.decided(next.check, next.result, next.rules);
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
    closed = true;
    thread.interrupt();
  }
}
