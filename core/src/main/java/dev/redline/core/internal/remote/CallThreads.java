package dev.redline.core.internal.remote;

import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of a store whose driver blocks: a bounded queue of acquisitions, threads that call a
 * node with all that has gathered (natural batching), and a thread that watches the deadlines. The
 * client of a Redline server queues checks in the same way.
 *
 * <p>The deadline of an acquisition runs from when it is submitted. One that expires in the queue
 * is never sent. One that expires during its call fails with unknown outcome, and the result of the
 * call is ignored. An acquisition is passed to a call at most once.
 *
 * <p>Callers' continuations run on {@link ContinuationThreads}, so they delay neither calls nor
 * deadlines.
 *
 * @param <Q> what is requested: an acquisition
 * @param <R> the result: an outcome
 */
public final class CallThreads<Q, R> implements AutoCloseable {
  private static final Logger LOG = System.getLogger(CallThreads.class.getName());

  /** How long an acquisition is queued before one more thread starts to help. */
  private static final long PATIENCE_NANOS = 5_000_000;

  /** How long callers' threads make no calls after one of them was overdue. */
  private static final long SUSPICION_NANOS = 2_000_000_000L;

  /**
   * A call of a node for one or more acquisitions.
   *
   * @param <Q> what is requested: an acquisition
   * @param <R> the result: an outcome
   */
  public interface Call<Q, R> {
    /** Returns the name of the node that is called for an acquisition. */
    String node(Q first);

    /** Returns how much of {@link #maxSize} an acquisition takes. */
    default int size(Q request) {
      return 0;
    }

    /** Returns how large all acquisitions of a call are together, at most; one may be larger. */
    default int maxSize() {
      return 0;
    }

    /**
     * Calls the node and waits for its reply.
     *
     * @return for each acquisition its result or a {@link RuntimeException}, such as a {@link
     *     StoreException}
     * @throws Exception if the call fails: then all acquisitions do
     */
    Object[] run(List<PendingCall<Q, R>> batch) throws Exception;

    /** Returns the failure of all acquisitions of a call that threw an exception. */
    StoreException failure(Exception e);
  }

  /**
   * How many threads there are, and what they are given.
   *
   * @param name the prefix of the threads' names
   * @param target what is called, for messages: {@code PostgreSQL at localhost:5432}
   * @param threads how many calls there are at most at the same time
   * @param eagerThreads how many of them start with a single acquisition; the others wait until
   *     more have gathered
   * @param maxBatch how many acquisitions a call carries at most
   * @param maxQueued how many acquisitions wait at most; more fail at once
   * @param timeout how long an acquisition may take
   */
  public record Settings(
      String name,
      String target,
      int threads,
      int eagerThreads,
      int maxBatch,
      int maxQueued,
      Duration timeout) {}

  private final Settings settings;
  private final Call<Q, R> call;
  private final ContinuationThreads continuations;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final ArrayDeque<PendingCall<Q, R>> queue = new ArrayDeque<>();
  private final RunningCalls<Q, R> running;
  private final DeadlineThread deadlines;
  private int busy;
  private int started;
  private long suspiciousUntilNanos = System.nanoTime();
  private volatile boolean closed;

  /** Creates the threads; they start when they are needed. */
  public CallThreads(Settings settings, Call<Q, R> call, CallReports reports) {
    this.settings = settings;
    this.call = call;
    this.continuations = new ContinuationThreads(settings.name());
    this.running = new RunningCalls<>(settings, reports, continuations);
    this.deadlines = new DeadlineThread(settings.name() + "-deadlines", this::isIdle, this::tick);
    deadlines.start();
  }

  /** Returns the threads that run callers' continuations. */
  public ContinuationThreads continuations() {
    return continuations;
  }

  /** Queues an acquisition; {@code blocking} as in {@link PendingCall}. Never blocks. */
  public PendingCall<Q, R> submit(Q acquisition, boolean blocking) {
    return submit(acquisition, blocking, deadline(), false);
  }

  /** Returns the deadline of an acquisition that is submitted now. */
  public long deadline() {
    return System.nanoTime() + settings.timeout().toNanos();
  }

  /**
   * Queues a part of an acquisition under the deadline of the whole.
   *
   * @param first whether it overtakes what is queued, because it is the second step of its
   *     acquisition
   */
  public PendingCall<Q, R> submit(Q part, boolean blocking, long deadline, boolean first) {
    PendingCall<Q, R> pending = new PendingCall<>(part, deadline, blocking);
    boolean queued;
    lock.lock();
    try {
      queued = !closed && queue.size() < settings.maxQueued();
      if (queued) {
        if (first) {
          queue.addFirst(pending);
        } else {
          queue.addLast(pending);
        }
        wakeWorker(false);
      }
    } finally {
      lock.unlock();
    }
    if (!queued) {
      pending.settle(
          unavailable(
              closed
                  ? "the store is closed"
                  : "more than "
                      + settings.maxQueued()
                      + " acquisitions are queued for "
                      + settings.target()));
    } else {
      deadlines.wake();
    }
    return pending;
  }

  /**
   * Makes the call on this thread if nothing is queued or in progress, because changing threads
   * twice can take a lone caller longer than the call; else queues the acquisition. For callers
   * that wait for the result.
   *
   * <p>Such a caller waits until the call ends, also past its deadline: this is for calls that end
   * soon after it. Once one was overdue, acquisitions are queued for two seconds.
   */
  public PendingCall<Q, R> callOrSubmit(Q acquisition) {
    long start = System.nanoTime();
    // Drivers and pools give up in a thread that is interrupted.
    if (Thread.currentThread().isInterrupted() || !beginHere(start)) {
      return submit(acquisition, true);
    }
    PendingCall<Q, R> pending = new PendingCall<>(acquisition, deadline(), true);
    try {
      runSafely(List.of(pending));
    } finally {
      endHere(start);
    }
    return pending;
  }

  private boolean beginHere(long now) {
    lock.lock();
    try {
      boolean alone = !closed && busy == 0 && queue.isEmpty();
      boolean here = alone && now - suspiciousUntilNanos >= 0;
      busy += here ? 1 : 0;
      return here;
    } finally {
      lock.unlock();
    }
  }

  private void endHere(long start) {
    long now = System.nanoTime();
    lock.lock();
    try {
      busy--;
      if (now - start >= settings.timeout().toNanos()) {
        suspiciousUntilNanos = now + SUSPICION_NANOS;
      }
      // What was queued meanwhile may have found all threads busy.
      wakeWorker(false);
    } finally {
      lock.unlock();
    }
  }

  /** Wakes or starts a thread if one more is worth it; the caller holds the lock. */
  private void wakeWorker(boolean waitedLong) {
    boolean worthwhile =
        waitedLong || busy < settings.eagerThreads() || queue.size() * 4 >= settings.maxBatch();
    if (!worthwhile || queue.isEmpty() || busy >= settings.threads()) {
      return;
    }
    if (started > busy || closed) {
      work.signal();
      return;
    }
    Thread thread = new Thread(this::serve, settings.name() + "-call-" + (started + 1));
    thread.setDaemon(true);
    try {
      thread.start();
      started++;
    } catch (OutOfMemoryError e) {
      // The system has no thread left. The next acquisition or tick tries again.
      LOG.log(Level.WARNING, "no further thread for " + settings.target(), e);
    }
  }

  private void serve() {
    while (true) {
      List<PendingCall<Q, R>> batch;
      lock.lock();
      try {
        while (queue.isEmpty()) {
          if (closed) {
            return;
          }
          work.awaitUninterruptibly();
        }
        busy++;
        batch = nextBatch();
        wakeWorker(false);
      } finally {
        lock.unlock();
      }
      try {
        runSafely(batch);
      } finally {
        ended();
      }
    }
  }

  /** Never throws: a thread of calls is counted, so no other would take its place. */
  private void runSafely(List<PendingCall<Q, R>> batch) {
    try {
      run(batch);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "a call of " + settings.target() + " failed", e);
      StoreException failure = unavailable(settings.target() + ": " + e);
      batch.forEach(pending -> continuations.deliver(pending, failure));
    }
  }

  private void ended() {
    lock.lock();
    try {
      busy--;
    } finally {
      lock.unlock();
    }
  }

  private List<PendingCall<Q, R>> nextBatch() {
    int most = Math.min(queue.size(), settings.maxBatch());
    List<PendingCall<Q, R>> batch = new ArrayList<>(most);
    int size = 0;
    while (batch.size() < most) {
      size += call.size(queue.element().request());
      if (size > call.maxSize() && !batch.isEmpty()) {
        break;
      }
      batch.add(queue.remove());
    }
    return batch;
  }

  private void run(List<PendingCall<Q, R>> batch) {
    long start = System.nanoTime();
    List<PendingCall<Q, R>> alive = new ArrayList<>(batch.size());
    for (PendingCall<Q, R> pending : batch) {
      if (pending.isExpired(start)) {
        continuations.deliver(pending, notSent());
      } else {
        alive.add(pending);
      }
    }
    if (alive.isEmpty()) {
      return;
    }
    String node = call.node(alive.get(0).request());
    RunningCalls<Q, R>.RunningCall current = running.begin(alive, node, start);
    deadlines.wake();
    Object[] results;
    try {
      running.rejectIfOverdue(node, start);
      results = call.run(alive);
      current.reportAnswer();
    } catch (Exception e) {
      StoreException failure = call.failure(e);
      current.reportFailure(failure);
      results = Collections.nCopies(alive.size(), failure).toArray();
    } catch (Error e) {
      LOG.log(Level.ERROR, "a call of " + settings.target() + " failed", e);
      StoreException failure = unavailable(settings.target() + ": " + e);
      results = Collections.nCopies(alive.size(), failure).toArray();
    } finally {
      current.end();
    }
    for (int i = 0; i < results.length; i++) {
      continuations.deliver(alive.get(i), results[i]);
    }
  }

  private StoreException notSent() {
    return unavailable(
        "nothing was acquired: the acquisition was queued for "
            + settings.target()
            + " longer than "
            + settings.timeout().toMillis()
            + " ms");
  }

  static StoreException unavailable(String why) {
    return new StoreException(StoreException.Kind.UNAVAILABLE, why);
  }

  private boolean isIdle() {
    lock.lock();
    try {
      return queue.isEmpty() && running.isEmpty() && continuations.isIdle();
    } finally {
      lock.unlock();
    }
  }

  private void tick(long now) {
    List<PendingCall<Q, R>> expired = new ArrayList<>();
    lock.lock();
    try {
      while (!queue.isEmpty() && queue.peek().isExpired(now)) {
        expired.add(queue.remove());
      }
      PendingCall<Q, R> oldest = queue.peek();
      long timeout = settings.timeout().toNanos();
      if (oldest != null && oldest.isExpired(now + timeout - Math.min(PATIENCE_NANOS, timeout))) {
        wakeWorker(true);
      }
    } finally {
      lock.unlock();
    }
    for (PendingCall<Q, R> pending : expired) {
      continuations.deliver(pending, notSent());
    }
    running.expire(now);
    continuations.helpStalled(now);
  }

  /** Fails all acquisitions that are queued or in a call; calls end by themselves. */
  @Override
  public void close() {
    List<PendingCall<Q, R>> left = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      left.addAll(queue);
      queue.clear();
      work.signalAll();
    } finally {
      lock.unlock();
    }
    deadlines.close();
    StoreException failure = unavailable("the store is closed");
    left.addAll(running.pending());
    left.forEach(pending -> continuations.deliver(pending, failure));
    continuations.close();
  }
}
