package dev.redline.core;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One caller that may wait. It ends exactly once, by an attempt, its deadline, cancellation or
 * close; only what ends it touches its evaluation and its permit.
 */
final class Waiter {
  /**
   * How late the turn of a caller in line may come. Each caller ahead is served a little after its
   * time, and what a full bucket loses meanwhile adds up along the line.
   */
  static final long TOLERANCE_NANOS = 25_000_000;

  private final Evaluation evaluation;
  private final Acquisition acquisition;
  private final WaitTerms terms;
  private final long deadline;
  private final WaitTimer timer;
  private final boolean blocking;
  private final UnaryOperator<RateLimitResult> decided;
  private final CompletableFuture<RateLimitResult> future = new CompletableFuture<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable Thread starting = Thread.currentThread();
  private volatile @Nullable WaitQueue queue;
  private final AtomicReference<@Nullable WaitingAcquirer> permittedBy = new AtomicReference<>();
  private volatile long resetsBeforeAttempt;
  private volatile @Nullable Runnable deadlineTimer;

  /**
   * Creates a caller, whose deadline runs from now.
   *
   * @param blocking whether a thread waits for the result, so that it needs no other to receive it
   * @param decided is called with the result, once, before the caller receives it
   */
  Waiter(
      Evaluation evaluation,
      WaitTerms terms,
      WaitTimer timer,
      boolean blocking,
      UnaryOperator<RateLimitResult> decided) {
    this.evaluation = evaluation;
    this.acquisition = evaluation.acquisition();
    this.terms = terms;
    this.timer = timer;
    this.deadline = timer.nanoTime() + terms.atMostNanos();
    this.blocking = blocking;
    this.decided = decided;
    if (!blocking) {
      CompletableFuture<RateLimitResult> unused =
          future.whenComplete((result, failure) -> cancel());
    }
  }

  Evaluation evaluation() {
    return evaluation;
  }

  WaitTerms terms() {
    return terms;
  }

  Acquisition acquisition() {
    return acquisition;
  }

  CompletableFuture<RateLimitResult> future() {
    return future;
  }

  boolean ended() {
    return ended.get();
  }

  /** Says that the caller's own thread goes on; results come from other threads from now on. */
  void started() {
    starting = null;
  }

  /** Returns whether a wait from now on ends in time. */
  boolean isInTime(long nowNanos, long waitNanos) {
    long tolerance = permittedBy.get() == null ? 0 : TOLERANCE_NANOS;
    return waitNanos - tolerance <= deadline - nowNanos;
  }

  /** Returns whether the caller waits for key {@code i} if it is denied. */
  boolean waitsFor(int i) {
    return !acquisition.shadow(i) && evaluation.waits(i, terms.byDefault());
  }

  /** Returns whether a denial is one to wait for. */
  boolean waits(Attempt attempt) {
    Outcome outcome = attempt.outcome();
    return outcome != null
        && !outcome.allowed()
        && evaluation.waits(attempt.acquired(), outcome, terms.byDefault());
  }

  /** Takes a permit, unless the caller has one already. */
  boolean permitted(WaitingAcquirer by) {
    if (permittedBy.get() != null) {
      return true;
    }
    if (!by.takePermit()) {
      return false;
    }
    permittedBy.set(by);
    return true;
  }

  /** Notes how many resets there were when an attempt begins, which it is sure to see. */
  void attempts(long resets) {
    resetsBeforeAttempt = resets;
  }

  /** Returns how many resets the last attempt is sure to have seen. */
  long resetsBeforeAttempt() {
    return resetsBeforeAttempt;
  }

  /** Notes the line the caller stands in; called with the line locked. */
  void standIn(@Nullable WaitQueue line) {
    queue = line;
  }

  /** Ends the wait at its deadline, also if the store does not answer or the line does not move. */
  void endAtDeadline() {
    long nanos = deadline - timer.nanoTime() + TOLERANCE_NANOS;
    Runnable scheduled = timer.schedule(this::expire, nanos);
    deadlineTimer = scheduled;
    if (ended.get()) {
      scheduled.run();
    }
  }

  private void expire() {
    WaitQueue line = queue;
    WaitQueue.GivingUp denial = line == null ? null : line.denialOf(this, null);
    end(
        () ->
            denial == null
                ? DecisionFinisher.finishTimedOut(evaluation)
                : denial.result(Reason.WAIT_TIMEOUT));
  }

  /** Ends the wait with a result, unless it has ended. */
  void end(Supplier<RateLimitResult> result) {
    if (!leave()) {
      return;
    }
    Runnable delivery;
    try {
      RateLimitResult value = result.get();
      delivery = () -> future.complete(decided.apply(value));
    } catch (RuntimeException | Error e) {
      delivery = () -> future.completeExceptionally(e);
    }
    deliver(delivery);
  }

  /** Ends the wait with a failure, unless it has ended. */
  void fail(Throwable failure) {
    if (leave()) {
      deliver(() -> future.completeExceptionally(failure));
    }
  }

  /** Ends the wait without a result; returns whether it had not ended before. */
  boolean cancel() {
    boolean left = leave();
    if (left) {
      releasePermit();
    }
    return left;
  }

  private boolean leave() {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    WaitQueue line = queue;
    if (line != null) {
      line.leave(this);
    }
    Runnable scheduled = deadlineTimer;
    if (scheduled != null) {
      scheduled.run();
    }
    return true;
  }

  private void deliver(Runnable delivery) {
    if (blocking || starting == Thread.currentThread()) {
      receive(delivery);
    } else {
      timer.continuations().execute(() -> receive(delivery));
    }
  }

  private void receive(Runnable delivery) {
    try {
      releasePermit();
      delivery.run();
    } catch (RuntimeException | Error e) {
      future.completeExceptionally(e);
    }
  }

  /** Gives the permit back if the caller has one; calling it again has no effect. */
  void releasePermit() {
    WaitingAcquirer by = permittedBy.getAndSet(null);
    if (by != null) {
      by.releasePermit();
    }
  }
}
