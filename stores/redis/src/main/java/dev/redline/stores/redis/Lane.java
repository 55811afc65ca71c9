package dev.redline.stores.redis;

import dev.redline.core.store.StoreException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The way to one group of slots: a queue that empties itself in batches.
 *
 * <p>While a call is under way, acquisitions gather; when it comes back, all that fit leave
 * together. A further call leaves before that if there is enough for half a full one. An idle lane
 * sends on the caller's thread. Nothing here waits or locks.
 */
final class Lane {
  /** Sends a batch; the lane is told when it is over. */
  interface Sender {
    void send(Lane lane, Batch batch);
  }

  private final Queue<Ticket> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger drains = new AtomicInteger();
  private final int number;
  private final RedisSettings settings;
  private final Shape.Cache shapes;
  private final Sender sender;
  private final int enough;

  Lane(int number, RedisSettings settings, Shape.Cache shapes, Sender sender) {
    this.number = number;
    this.settings = settings;
    this.shapes = shapes;
    this.sender = sender;
    this.enough = (settings.maxBatch() + 1) / 2;
  }

  /** Returns which lane it is, from 0. */
  int number() {
    return number;
  }

  /** Queues an acquisition, or returns false if the queue is full. */
  boolean submit(Ticket ticket) {
    int waiting = queued.incrementAndGet();
    if (waiting > settings.maxQueued()) {
      queued.decrementAndGet();
      return false;
    }
    queue.add(ticket);
    Answers.Held held = waiting >= enough || ticket.waitedFor() ? null : Answers.held();
    if (held == null) {
      drain();
    } else {
      held.add(this);
    }
    return true;
  }

  /** Says that a batch was sent that the lane did not send itself. */
  void started() {
    calls.incrementAndGet();
  }

  /** Says that a batch is over, whatever came of it. */
  void finished() {
    calls.decrementAndGet();
    drain();
  }

  /** Sends what waits, as far as calls are allowed; one thread at a time does it for all. */
  void drain() {
    if (drains.getAndIncrement() != 0) {
      return;
    }
    int missed = 1;
    do {
      while (maySend()) {
        Batch batch = collect();
        if (batch == null) {
          break;
        }
        calls.incrementAndGet();
        sender.send(this, batch);
      }
      missed = drains.addAndGet(-missed);
    } while (missed != 0);
  }

  /** An idle lane sends whatever waits; one with a call under way, when there is enough of it. */
  private boolean maySend() {
    int underWay = calls.get();
    return underWay == 0 || (underWay < settings.maxCalls() && queued.get() >= enough);
  }

  private @Nullable Batch collect() {
    Ticket head = queue.peek();
    if (head == null) {
      return null;
    }
    Batch batch = new Batch(shapes);
    long now = System.nanoTime();
    int taken = 0;
    while (head != null && batch.size() < settings.maxBatch() && batch.fits(head)) {
      queue.poll();
      taken++;
      if (head.expired(now)) {
        tooBusy(head);
      }
      if (!head.isDone()) {
        head.sent(now);
        batch.add(head);
      }
      head = queue.peek();
    }
    queued.addAndGet(-taken);
    return batch.isEmpty() ? null : batch;
  }

  /**
   * Fails the acquisitions that waited too long; they were never sent, and leave the queue with the
   * others. Sends what waits for the end of answers that somebody's code delays.
   */
  void expire(long nanos) {
    for (Ticket ticket : queue) {
      if (!ticket.expired(nanos)) {
        drain();
        return;
      }
      tooBusy(ticket);
    }
  }

  private void tooBusy(Ticket ticket) {
    if (!ticket.isDone()) {
      ticket.fail(
          StoreException.Kind.REDISERROR,
          "Redis was too busy: not sent within " + settings.commandTimeout());
    }
  }
}
