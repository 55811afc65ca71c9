package dev.redline.core;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Notifies one listener of decisions, on a thread of its own and in order, through a bounded queue.
 * Publishing never waits: when the listener is too slow, a notice that does not fit the queue is
 * dropped and counted.
 */
final class ListenerDispatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ListenerDispatcher.class.getName());
  private static final int CAPACITY = 4096;
  private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER = Long.MIN_VALUE;

  private record Notice(LimitCheck check, RateLimitResult result, List<RateLimitRule> rules) {}

  private final BlockingQueue<Notice> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final DecisionListener listener;
  private final MetricsExporter metrics;
  private final Thread thread;
  private final AtomicLong lastLogged = new AtomicLong(NEVER);
  private final LongAdder notLogged = new LongAdder();

  ListenerDispatcher(DecisionListener listener, MetricsExporter metrics) {
    this.listener = listener;
    this.metrics = metrics;
    this.thread = new Thread(this::run, "redline-listener-" + listener.getClass().getSimpleName());
    thread.setDaemon(true);
    thread.start();
  }

  void publish(LimitCheck check, RateLimitResult result, Evaluation evaluation) {
    try {
      if (listener.wants(result)
          && !queue.offer(new Notice(check, result, evaluation.appliedRules()))) {
        metrics.eventDropped();
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Logs a failure, also an {@link Error}: it changes no decision. Once a minute, since the
   * listener may fail for every decision, and on the thread that decides.
   */
  private void failed(Throwable e) {
    long now = System.nanoTime();
    long last = lastLogged.get();
    boolean first = last == NEVER;
    if ((!first && now - last < LOG_EVERY_NANOS) || !lastLogged.compareAndSet(last, now)) {
      notLogged.increment();
      return;
    }
    long more = notLogged.sumThenReset();
    LOG.log(
        Level.WARNING,
        "a decision listener failed: "
            + listener.getClass().getName()
            + (more == 0 ? "" : ", and " + more + " times since the last such message"),
        e);
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Notice next = queue.take();
        try {
          listener.decided(next.check, next.result, next.rules);
        } catch (Throwable e) {
          failed(e);
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
