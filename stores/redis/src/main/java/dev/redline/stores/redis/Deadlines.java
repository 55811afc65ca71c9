package dev.redline.stores.redis;

import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Completes every acquisition by its deadline: a daemon thread that checks every few milliseconds
 * while acquisitions are queued, in flight or being completed, and sleeps otherwise.
 *
 * <p>No caller's code runs on this thread, so no caller can delay a deadline: {@link
 * CompletionThreads} runs the continuations of time-outs. Blocked threads are woken here.
 */
final class Deadlines implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  static final long TICK_NANOS = 2_500_000;
  private static final long RETRY_NANOS = 5_000_000;
  private static final int IDLE_TICKS = 100;

  /** How long the thread runs after the store was closed, to help stalled deliveries. */
  private static final long LAST_NANOS = 10_000_000_000L;

  static final String CLOSED = "the store is closed";

  private record Retry(long dueNanos, Runnable action) {}

  private final Set<Batch> inFlight = ConcurrentHashMap.newKeySet();
  private final Queue<Retry> retries = new ConcurrentLinkedQueue<>();
  private final Lanes lanes;
  private final QueueLimit queueLimit;
  private final CompletionThreads completionThreads;
  private final LongSupplier nanoClock;
  private final String timeoutMessage;
  private final Thread thread = new Thread(this::run, "redline-redis-deadlines");
  private volatile @Nullable Leases leases;
  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile long closedNanos;

  Deadlines(
      Lanes lanes,
      QueueLimit queueLimit,
      CompletionThreads completionThreads,
      RedisSettings settings,
      LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.lanes = lanes;
    this.queueLimit = queueLimit;
    this.completionThreads = completionThreads;
    this.timeoutMessage =
        "Redis at "
            + settings.connection().address()
            + " did not reply within "
            + settings.commandTimeout().toMillis()
            + " ms: it is unknown whether the tokens were taken";
  }

  /** Sets the leases that have to be looked after, before the thread starts. */
  void watch(@Nullable Leases watched) {
    leases = watched;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  void begin(Batch batch) {
    inFlight.add(batch);
    wakeUp();
  }

  void end(Batch batch) {
    inFlight.remove(batch);
  }

  /** Runs an action in a few milliseconds; the action must not block. */
  void schedule(Runnable action) {
    retries.add(new Retry(nanoClock.getAsLong() + RETRY_NANOS, action));
    wakeUp();
  }

  /** Wakes the thread if it sleeps; called after work was added. */
  void wakeUp() {
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  private boolean isIdle() {
    return inFlight.isEmpty()
        && queueLimit.isEmpty()
        && completionThreads.isIdle()
        && retries.isEmpty()
        && (leases == null || leases.isEmpty());
  }

  private boolean isOver() {
    return closed
        && (completionThreads.isIdle() || nanoClock.getAsLong() - closedNanos > LAST_NANOS);
  }

  private void run() {
    int idle = 0;
    while (!isOver()) {
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
        tick(nanoClock.getAsLong());
      } catch (RuntimeException | Error e) {
        // Errors too, such as OutOfMemoryError: without this thread, callers would wait for ever.
        LOG.log(Level.ERROR, "checking the deadlines of acquisitions failed", e);
      }
    }
  }

  /** Does what is due; called by one thread at a time, every {@link #TICK_NANOS}. */
  void tick(long now) {
    for (Retry retry = retries.peek();
        retry != null && now - retry.dueNanos >= 0;
        retry = retries.peek()) {
      retries.poll();
      retry.action.run();
    }
    if (!queueLimit.isEmpty()) {
      lanes.forEach(Lane::expire);
    }
    List<PendingAcquisition> expired = new ArrayList<>();
    for (Batch batch : inFlight) {
      for (PendingAcquisition pending : batch.acquisitions()) {
        if (pending.expired(now)) {
          expired.add(pending);
        }
      }
    }
    expire(expired, timeoutMessage);
    completionThreads.helpStalled(now);
    Leases watched = leases;
    if (watched != null) {
      watched.end().tick(now);
    }
  }

  /** Fails acquisitions that have not completed, each once. */
  void expire(List<PendingAcquisition> acquisitions, String why) {
    if (acquisitions.isEmpty()) {
      return;
    }
    StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, why);
    List<PendingAcquisition> others = new ArrayList<>();
    for (PendingAcquisition pending : acquisitions) {
      if (pending.tryExpire()) {
        if (pending.isBlocking()) {
          pending.completeExceptionally(failure);
        } else {
          others.add(pending);
        }
      }
    }
    if (!others.isEmpty()) {
      completionThreads.deliver(ResultDelivery.ofFailure(others, failure));
    }
  }

  /** Fails all acquisitions; the thread ends when their continuations have run. */
  @Override
  public void close() {
    closedNanos = nanoClock.getAsLong();
    closed = true;
    LockSupport.unpark(thread);
    lanes.forEach(Lane::close);
    for (Batch batch : inFlight) {
      expire(batch.acquisitions(), CLOSED);
    }
  }
}
