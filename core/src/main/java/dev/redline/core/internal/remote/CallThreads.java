package dev.redline.core.internal.remote;

import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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
  private static final long TICK_NANOS = 2_500_000;
  private static final int IDLE_TICKS = 100;

  /** How many calls of one node may be past their deadline before no further one starts. */
  private static final int MAX_OVERDUE = 8;

  /** How long an acquisition is queued before one more thread starts to help. */
  private static final long PATIENCE_NANOS = 5_000_000;

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
  private final CallReports reports;
  private final ContinuationThreads continuations;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final ArrayDeque<PendingCall<Q, R>> queue = new ArrayDeque<>();
  private final List<RunningCall> running = new CopyOnWriteArrayList<>();
  private final Thread deadlines;
  private int busy;
  private int started;
  private volatile boolean asleep;
  private volatile boolean closed;

  /** Creates the threads; they start when they are needed. */
  public CallThreads(Settings settings, Call<Q, R> call, CallReports reports) {
    this.settings = settings;
    this.call = call;
    this.reports = reports;
    this.continuations = new ContinuationThreads(settings.name());
    this.deadlines = new Thread(this::watch, settings.name() + "-deadlines");
    deadlines.setDaemon(true);
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
    } else if (asleep) {
      asleep = false;
      LockSupport.unpark(deadlines);
    }
    return pending;
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
        run(batch);
      } catch (RuntimeException | Error e) {
        // This thread must not end: it is counted, so no other would take its place.
        LOG.log(Level.ERROR, "a call of " + settings.target() + " failed", e);
        batch.forEach(pending -> deliver(pending, unavailable(settings.target() + ": " + e)));
      } finally {
        ended();
      }
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
        deliver(pending, notSent());
      } else {
        alive.add(pending);
      }
    }
    if (alive.isEmpty()) {
      return;
    }
    RunningCall current = new RunningCall(alive, call.node(alive.get(0).request()), start);
    running.add(current);
    Object[] results;
    try {
      rejectIfOverdue(current.node, start);
      results = call.run(alive);
      current.reportAnswer();
    } catch (Exception e) {
      StoreException failure = call.failure(e);
      current.reportFailure(failure);
      results = same(alive.size(), failure);
    } catch (Error e) {
      LOG.log(Level.ERROR, "a call of " + settings.target() + " failed", e);
      results = same(alive.size(), unavailable(settings.target() + ": " + e));
    }
    running.remove(current);
    for (int i = 0; i < results.length; i++) {
      deliver(alive.get(i), results[i]);
    }
  }

  /** Rejects a call of a node that hangs, which would otherwise keep all threads in the end. */
  private void rejectIfOverdue(String node, long now) {
    int overdue = 0;
    for (RunningCall other : running) {
      overdue += other.node.equals(node) && other.batch.get(0).isExpired(now) ? 1 : 0;
    }
    if (overdue >= MAX_OVERDUE) {
      throw unavailable(
          "nothing was acquired: " + overdue + " calls of " + settings.target() + " are overdue");
    }
  }

  private static Object[] same(int size, StoreException failure) {
    Object[] results = new Object[size];
    Arrays.fill(results, failure);
    return results;
  }

  private void deliver(PendingCall<Q, R> pending, Object result) {
    if (pending.isDone()) {
      return;
    }
    if (pending.isBlocking()) {
      pending.settle(result);
    } else {
      continuations.execute(() -> pending.settle(result));
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

  private static StoreException unavailable(String why) {
    return new StoreException(StoreException.Kind.UNAVAILABLE, why);
  }

  private void watch() {
    int idle = 0;
    while (!closed) {
      idle = isIdle() ? idle + 1 : 0;
      if (idle > IDLE_TICKS) {
        asleep = true;
        if (isIdle() && !closed) {
          LockSupport.park(this);
        }
        asleep = false;
        idle = 0;
      }
      LockSupport.parkNanos(this, TICK_NANOS);
      try {
        tick(System.nanoTime());
      } catch (RuntimeException | Error e) {
        // Errors too, such as OutOfMemoryError: without this thread, callers would wait for ever.
        LOG.log(Level.ERROR, "checking the deadlines of acquisitions failed", e);
      }
    }
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
      deliver(pending, notSent());
    }
    for (RunningCall current : running) {
      current.expire(now);
    }
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
    LockSupport.unpark(deadlines);
    StoreException failure = unavailable("the store is closed");
    running.forEach(current -> left.addAll(current.batch));
    left.forEach(pending -> deliver(pending, failure));
    continuations.close();
  }

  /** One call in progress. Its result is reported once: by its thread, or when it is overdue. */
  private final class RunningCall {
    private final List<PendingCall<Q, R>> batch;
    private final String node;
    private final long startNanos;
    private @Nullable StoreException overdue;
    private boolean reported;

    RunningCall(List<PendingCall<Q, R>> batch, String node, long startNanos) {
      this.batch = batch;
      this.node = node;
      this.startNanos = startNanos;
    }

    private synchronized void reportAnswer() {
      if (!reported) {
        reported = true;
        reports.answered(node, System.nanoTime() - startNanos);
      }
    }

    private synchronized void reportFailure(StoreException failure) {
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
          deliver(pending, failure);
        }
      }
    }

    private StoreException unknown() {
      return unavailable(
          settings.target()
              + " did not reply within "
              + settings.timeout().toMillis()
              + " ms: it is unknown whether the tokens were taken");
    }
  }
}
