package dev.redline.core;

import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Waiting for refill: attempts to acquire until it succeeds, cannot succeed in time, or may not
 * wait. Callers of one bucket wait in line; see {@link WaitQueue}. Blocks no thread.
 *
 * <p>A caller of several buckets stands in one line at a time: that of the bucket with the longest
 * wait.
 */
final class WaitingAcquirer implements AutoCloseable {
  private static final Logger LOG = System.getLogger(WaitingAcquirer.class.getName());

  private final StoreWithFallback stores;
  private final WaitPermits permits;
  private final WaitTimer timer;
  private final MetricsExporter metrics;
  private final ConcurrentMap<RateLimitKey, WaitQueue> lines = new ConcurrentHashMap<>();
  private final AtomicBoolean warned = new AtomicBoolean();
  private final AtomicLong resets = new AtomicLong();
  private volatile boolean closed;

  WaitingAcquirer(
      StoreWithFallback stores, WaitPermits permits, WaitTimer timer, MetricsExporter metrics) {
    this.stores = stores;
    this.permits = permits;
    this.timer = timer;
    this.metrics = metrics;
  }

  boolean takePermit() {
    if (!permits.tryTake()) {
      return false;
    }
    metrics.waiting(1);
    return true;
  }

  /** Returns how many resets there were. */
  long resets() {
    return resets.get();
  }

  void releasePermit() {
    permits.release();
    metrics.waiting(-1);
  }

  /**
   * Acquires without blocking.
   *
   * @param decided is called with the result, once, before the caller receives it
   * @return a future that completes on the caller's thread, or on one for continuations
   */
  CompletableFuture<RateLimitResult> start(
      Evaluation evaluation, WaitTerms terms, UnaryOperator<RateLimitResult> decided) {
    return start(new Waiter(evaluation, terms, timer, false, decided));
  }

  private CompletableFuture<RateLimitResult> start(Waiter waiter) {
    if (closed) {
      waiter.fail(closedFailure());
    } else if (!joinLineAhead(waiter)) {
      attempt(waiter, attempt -> triedFirst(waiter, attempt));
    }
    if (!waiter.ended()) {
      waiter.endAtDeadline();
    }
    waiter.started();
    return waiter.future();
  }

  /**
   * Acquires, and parks the caller's thread until that has ended.
   *
   * @throws InterruptedException if the thread is interrupted meanwhile; nothing was acquired then,
   *     unless by an attempt that a store had already received
   */
  RateLimitResult await(
      Evaluation evaluation, WaitTerms terms, UnaryOperator<RateLimitResult> decided)
      throws InterruptedException {
    Waiter waiter = new Waiter(evaluation, terms, timer, true, decided);
    CompletableFuture<RateLimitResult> future = start(waiter);
    try {
      return future.get();
    } catch (InterruptedException e) {
      if (waiter.cancel()) {
        throw e;
      }
      // It has ended just now, perhaps with tokens that would be lost.
      Thread.currentThread().interrupt();
      return future.join();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("the wait failed", e.getCause());
    }
  }

  private static IllegalStateException closedFailure() {
    return new IllegalStateException("the limiter was closed while a caller waited");
  }

  /** Stands in a line that others wait in already, instead of taking what they wait for. */
  private boolean joinLineAhead(Waiter waiter) {
    Acquisition acquisition = waiter.acquisition();
    if (lines.isEmpty()
        || !waiter.terms().enabled()
        || ReportedBand.costExceedsCapacity(acquisition) != ReportedBand.NONE) {
      return false;
    }
    for (int i = 0; i < acquisition.size(); i++) {
      WaitQueue line = waiter.waitsFor(i) ? lines.get(acquisition.key(i)) : null;
      if (line != null && join(waiter, line, null)) {
        return true;
      }
    }
    return false;
  }

  private void triedFirst(Waiter waiter, Attempt attempt) {
    boolean waits = waiter.waits(attempt);
    if (waits && waiter.terms().enabled()) {
      join(waiter, attempt);
      return;
    }
    if (waits && warned.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "{0} says WAIT_FOR_REFILL, but denies at once: rl.wait-for-refill.enabled is false",
          attempt.acquired().key(keyToWaitFor(attempt)).limits().owner());
    }
    waiter.end(() -> attempt.finish(waiter.evaluation()));
  }

  /** Attempts once; a failure ends the wait. */
  void attempt(Waiter waiter, Consumer<Attempt> then) {
    waiter.attempts(resets.get());
    try {
      stores
          .attempt(waiter.evaluation(), waiter.acquisition())
          .whenComplete(
              (attempt, failure) -> {
                try {
                  if (failure != null) {
                    waiter.fail(failure);
                  } else {
                    then.accept(attempt);
                  }
                } catch (RuntimeException | Error e) {
                  waiter.fail(e);
                }
              });
    } catch (RuntimeException | Error e) {
      waiter.fail(e);
    }
  }

  /** Returns the number of the key that a denied attempt has to wait for longest. */
  static int keyToWaitFor(Attempt attempt) {
    Outcome outcome = Objects.requireNonNull(attempt.outcome());
    int band = ReportedBand.longestWait(attempt.acquired(), outcome);
    return ReportedBand.key(band, attempt.acquired());
  }

  /** Lets a caller wait for the bucket that denied it. */
  void join(Waiter waiter, Attempt denied) {
    RateLimitKey key = waiter.acquisition().key(keyToWaitFor(denied));
    boolean settled = false;
    while (!settled) {
      // A line that was given up has left the table by the time it says so.
      settled = join(waiter, lines.computeIfAbsent(key, this::newLine), denied);
    }
  }

  private WaitQueue newLine(RateLimitKey key) {
    return new WaitQueue(key, this, timer);
  }

  /** Joins a line; returns whether the caller waits or has ended. */
  private boolean join(Waiter waiter, WaitQueue line, @Nullable Attempt denied) {
    switch (line.join(waiter, denied)) {
      case WAITING -> {
        if (closed) {
          waiter.fail(closedFailure());
        }
      }
      case TOO_LATE -> end(waiter, line.denialOf(waiter, denied), Reason.WAIT_TIMEOUT);
      case NO_PERMIT -> end(waiter, line.denialOf(waiter, denied), Reason.LIMIT_EXCEEDED);
      case UNKNOWN, GONE -> {
        return false;
      }
    }
    return true;
  }

  private static void end(Waiter waiter, WaitQueue.GivingUp denial, Reason reason) {
    waiter.end(() -> denial.result(reason));
  }

  void remove(RateLimitKey key, WaitQueue line) {
    lines.remove(key, line);
  }

  /**
   * Lets the first of every line attempt at once. An attempt under way may not see the reset: what
   * it shows is known to be older, because resets are counted before the lines are looked at.
   */
  void recheck() {
    resets.incrementAndGet();
    lines.values().forEach(WaitQueue::recheck);
  }

  /** Ends all waits with an {@link IllegalStateException}. */
  @Override
  public void close() {
    closed = true;
    for (WaitQueue line : lines.values()) {
      line.waiting().forEach(waiter -> waiter.fail(closedFailure()));
    }
  }
}
