package dev.redline.stores.redis;

import dev.redline.core.store.StoreException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The way to one group of slots: a queue that empties itself in batches.
 *
 * <p>While the allowed number of calls is under way, acquisitions gather; when one comes back, all
 * that fit leave together. An idle lane sends on the caller's thread. Nothing here waits or locks.
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
  private final Generations generations;
  private final Sender sender;

  Lane(int number, RedisSettings settings, Generations generations, Sender sender) {
    this.number = number;
    this.settings = settings;
    this.generations = generations;
    this.sender = sender;
  }

  /** Returns which lane it is, from 0. */
  int number() {
    return number;
  }

  /** Queues an acquisition, or returns false if the queue is full. */
  boolean submit(Ticket ticket) {
    if (queued.incrementAndGet() > settings.maxQueued()) {
      queued.decrementAndGet();
      return false;
    }
    queue.add(ticket);
    drain();
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

  private void drain() {
    if (drains.getAndIncrement() != 0) {
      return;
    }
    int missed = 1;
    do {
      while (calls.get() < settings.maxCalls()) {
        Batch batch = collect();
        if (batch.isEmpty()) {
          break;
        }
        calls.incrementAndGet();
        sender.send(this, batch);
      }
      missed = drains.addAndGet(-missed);
    } while (missed != 0);
  }

  private Batch collect() {
    Batch batch = new Batch(generations::of);
    long now = System.nanoTime();
    while (batch.size() < settings.maxBatch()) {
      Ticket head = queue.peek();
      if (head == null || !batch.fits(head)) {
        break;
      }
      if (!queue.remove(head)) {
        continue;
      }
      queued.decrementAndGet();
      if (head.expired(now)) {
        tooBusy(head);
      }
      if (head.isDone()) {
        continue;
      }
      head.sent(now);
      batch.add(head);
    }
    if (!batch.isEmpty()) {
      batch.seal();
    }
    return batch;
  }

  /** Fails the acquisitions that waited too long; they were never sent. */
  void expire(long nanos) {
    Ticket head = queue.peek();
    while (head != null && (head.isDone() || head.expired(nanos))) {
      if (queue.remove(head)) {
        queued.decrementAndGet();
        tooBusy(head);
      }
      head = queue.peek();
    }
  }

  private void tooBusy(Ticket ticket) {
    ticket.fail(
        StoreException.Kind.REDISERROR,
        "Redis was too busy: not sent within " + settings.commandTimeout());
  }
}
