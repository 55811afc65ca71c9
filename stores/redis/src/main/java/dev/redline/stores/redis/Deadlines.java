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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes sure that every acquisition is answered in time: a daemon thread that looks every few
 * milliseconds while anything waits, is under way or is being delivered, and sleeps otherwise.
 *
 * <p>No caller's code ever runs on it, so nothing a caller does can delay a deadline: time-outs are
 * delivered by {@link CompletionThreads}, which this thread watches, and threads that only wait are
 * woken here.
 */
final class Deadlines implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long TICK_NANOS = 2_500_000;
  private static final long RETRY_NANOS = 5_000_000;
  private static final int IDLE_TICKS = 100;

  /** How long deliveries are watched after the store was closed. */
  private static final long LAST_NANOS = 10_000_000_000L;

  static final String CLOSED = "the store is closed";

  private record Retry(long dueNanos, Runnable action) {}

  private final Set<Batch> underWay = ConcurrentHashMap.newKeySet();
  private final Queue<Retry> retries = new ConcurrentLinkedQueue<>();
  private final Lane[] lanes;
  private final AtomicInteger queued;
  private final CompletionThreads answers;
  private final String unanswered;
  private final Thread thread = new Thread(this::run, "redline-redis-deadlines");
  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile long closedNanos;

  Deadlines(Lane[] lanes, AtomicInteger queued, CompletionThreads answers, RedisSettings settings) {
    this.lanes = lanes;
    this.queued = queued;
    this.answers = answers;
    this.unanswered =
        "Redis at "
            + settings.address()
            + " did not answer within "
            + settings.commandTimeout().toMillis()
            + " ms: whether it was taken is unknown";
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  void begin(Batch batch) {
    underWay.add(batch);
    watch();
  }

  void end(Batch batch) {
    underWay.remove(batch);
  }

  /** Runs an action in a few milliseconds; it must not block. */
  void later(Runnable action) {
    retries.add(new Retry(System.nanoTime() + RETRY_NANOS, action));
    watch();
  }

  /** Lets nothing that now waits or is delivered be forgotten. */
  void watch() {
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  private boolean isIdle() {
    return underWay.isEmpty() && queued.get() == 0 && answers.isIdle() && retries.isEmpty();
  }

  private boolean isOver() {
    return closed && (answers.isIdle() || System.nanoTime() - closedNanos > LAST_NANOS);
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
        tick(System.nanoTime());
      } catch (RuntimeException | Error e) {
        // Also when memory is short: without this thread, callers would wait for ever.
        LOG.log(Level.ERROR, "the deadlines of acquisitions could not be looked at", e);
      }
    }
  }

  private void tick(long now) {
    for (Retry retry = retries.peek();
        retry != null && now - retry.dueNanos >= 0;
        retry = retries.peek()) {
      retries.poll();
      retry.action.run();
    }
    for (Lane lane : lanes) {
      lane.expire();
    }
    List<PendingAcquisition> expired = new ArrayList<>();
    for (Batch batch : underWay) {
      for (PendingAcquisition ticket : batch.tickets()) {
        if (ticket.expired(now)) {
          expired.add(ticket);
        }
      }
    }
    expire(expired, unanswered);
    answers.watch(now);
  }

  /** Fails acquisitions, each once. */
  void expire(List<PendingAcquisition> tickets, String why) {
    if (tickets.isEmpty()) {
      return;
    }
    StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, why);
    List<PendingAcquisition> others = new ArrayList<>();
    for (PendingAcquisition ticket : tickets) {
      if (ticket.beginsToExpire()) {
        if (ticket.waitedFor()) {
          ticket.completeExceptionally(failure);
        } else {
          others.add(ticket);
        }
      }
    }
    if (!others.isEmpty()) {
      answers.deliver(ResultDelivery.ofFailure(others, failure));
    }
  }

  /** Fails everything that is not answered, and ends the thread when that is delivered. */
  @Override
  public void close() {
    closedNanos = System.nanoTime();
    closed = true;
    LockSupport.unpark(thread);
    for (Lane lane : lanes) {
      lane.close();
    }
    for (Batch batch : underWay) {
      expire(batch.tickets(), CLOSED);
    }
  }
}
