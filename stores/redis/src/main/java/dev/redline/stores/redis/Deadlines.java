package dev.redline.stores.redis;

import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * Sees to it that every acquisition is answered in time: a daemon thread that looks every few
 * milliseconds while anything is under way, and sleeps while nothing is.
 */
final class Deadlines implements AutoCloseable {
  private static final long TICK_NANOS = 2_500_000;

  private final Set<Batch> underWay = ConcurrentHashMap.newKeySet();
  private final Lane[] lanes;
  private final Executor answers;
  private final Duration commandTimeout;
  private final Thread thread = new Thread(this::run, "redline-redis-deadlines");
  private volatile boolean asleep;
  private volatile boolean closed;

  Deadlines(Lane[] lanes, Executor answers, Duration commandTimeout) {
    this.lanes = lanes;
    this.answers = answers;
    this.commandTimeout = commandTimeout;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  void begin(Batch batch) {
    underWay.add(batch);
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  void end(Batch batch) {
    underWay.remove(batch);
  }

  private void run() {
    int idle = 0;
    while (!closed) {
      if (underWay.isEmpty() && idle++ > 100) {
        asleep = true;
        if (underWay.isEmpty() && !closed) {
          LockSupport.park(this);
        }
        asleep = false;
        idle = 0;
      }
      idle = underWay.isEmpty() ? idle : 0;
      LockSupport.parkNanos(this, TICK_NANOS);
      expire(System.nanoTime());
    }
  }

  private void expire(long now) {
    for (Lane lane : lanes) {
      lane.expire(now);
    }
    for (Batch batch : underWay) {
      for (Ticket ticket : batch.tickets()) {
        if (ticket.expired(now) && !ticket.isDone()) {
          answers.execute(() -> unanswered(ticket));
        }
      }
    }
  }

  private void unanswered(Ticket ticket) {
    ticket.fail(
        StoreException.Kind.REDISERROR,
        "no answer within " + commandTimeout + ": whether it was taken is unknown");
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
