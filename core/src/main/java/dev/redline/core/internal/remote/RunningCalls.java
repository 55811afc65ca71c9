package dev.redline.core.internal.remote;

import dev.redline.core.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The calls of {@link CallThreads} that are in progress, and their deadlines. The result of a call
 * is reported once: by its thread, or when it is overdue. Thread-safe.
 *
 * @param <Q> what is requested: an acquisition
 * @param <R> the result: an outcome
 */
final class RunningCalls<Q, R> {
  /** How many calls of one node may be past their deadline before no further one starts. */
  private static final int MAX_OVERDUE = 8;

  private final CallThreads.Settings settings;
  private final CallReports reports;
  private final ContinuationThreads continuations;
  private final List<RunningCall> running = new CopyOnWriteArrayList<>();

  RunningCalls(
      CallThreads.Settings settings, CallReports reports, ContinuationThreads continuations) {
    this.settings = settings;
    this.reports = reports;
    this.continuations = continuations;
  }

  RunningCall begin(List<PendingCall<Q, R>> batch, String node, long startNanos) {
    RunningCall call = new RunningCall(batch, node, startNanos);
    running.add(call);
    return call;
  }

  boolean isEmpty() {
    return running.isEmpty();
  }

  /** Rejects a call of a node that hangs, which would otherwise keep all threads in the end. */
  void rejectIfOverdue(String node, long now) {
    int overdue = 0;
    for (RunningCall other : running) {
      overdue += other.node.equals(node) && other.batch.get(0).isExpired(now) ? 1 : 0;
    }
    if (overdue >= MAX_OVERDUE) {
      throw CallThreads.unavailable(
          "nothing was acquired: " + overdue + " calls of " + settings.target() + " are overdue");
    }
  }

  /** Fails acquisitions whose deadline is over. */
  void expire(long now) {
    running.forEach(call -> call.expire(now));
  }

  /** Returns the acquisitions of all calls. */
  List<PendingCall<Q, R>> pending() {
    List<PendingCall<Q, R>> pending = new ArrayList<>();
    running.forEach(call -> pending.addAll(call.batch));
    return pending;
  }

  /** One call. */
  final class RunningCall {
    private final List<PendingCall<Q, R>> batch;
    private final String node;
    private final long startNanos;
    private @Nullable StoreException overdue;
    private boolean reported;

    private RunningCall(List<PendingCall<Q, R>> batch, String node, long startNanos) {
      this.batch = batch;
      this.node = node;
      this.startNanos = startNanos;
    }

    void end() {
      running.remove(this);
    }

    synchronized void reportAnswer() {
      if (!reported) {
        reported = true;
        reports.answered(node, System.nanoTime() - startNanos);
      }
    }

    synchronized void reportFailure(StoreException failure) {
      if (!reported) {
        reported = true;
        reports.failed(node, System.nanoTime() - startNanos, failure);
      }
    }

    private void expire(long now) {
      for (PendingCall<Q, R> pending : batch) {
        if (pending.isExpired(now) && !pending.isDone()) {
          StoreException failure = overdue == null ? unknown() : overdue;
          overdue = failure;
          reportFailure(failure);
          continuations.deliver(pending, failure);
        }
      }
    }

    private StoreException unknown() {
      return CallThreads.unavailable(
          settings.target()
              + " did not reply within "
              + settings.timeout().toMillis()
              + " ms: it is unknown whether the tokens were taken");
    }
  }
}
