package dev.redline.stores.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
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
    /** Returns where the next call of a lane goes. */
    Destination destination(Lane lane);

    void send(Lane lane, Batch batch, Destination destination);

    /** Hears of acquisitions that waited too long and were never sent. */
    void expired(List<PendingAcquisition> tickets);

    /** Hears of acquisitions that were not sent because the store was closed. */
    void closed(List<PendingAcquisition> tickets);
  }

  /** How many acquisitions leave in one call even if they are all equal. */
  private static final int MAX_ACQUISITIONS = 256;

  private final Queue<PendingAcquisition> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger queuedInAll;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger drains = new AtomicInteger();
  private final AtomicBoolean atGate = new AtomicBoolean();
  private final int number;
  private final RedisSettings settings;
  private final ScriptParameters.Cache shapes;
  private final Sender sender;
  private final int enough;
  private volatile boolean looksForExpired;
  private volatile boolean closed;

  /**
   * Creates a lane.
   *
   * @param queuedInAll how many acquisitions wait in the lanes of a store, which bound it together
   */
  Lane(
      int number,
      AtomicInteger queuedInAll,
      RedisSettings settings,
      ScriptParameters.Cache shapes,
      Sender sender) {
    this.number = number;
    this.queuedInAll = queuedInAll;
    this.settings = settings;
    this.shapes = shapes;
    this.sender = sender;
    this.enough = (settings.maxBatch() + 1) / 2;
  }

  /** Returns which lane it is, from 0. */
  int number() {
    return number;
  }

  /** Queues an acquisition, or returns false if as many wait as the store allows. */
  boolean submit(PendingAcquisition ticket) {
    if (queuedInAll.incrementAndGet() > settings.maxQueued()) {
      queuedInAll.decrementAndGet();
      return false;
    }
    int waiting = queued.incrementAndGet();
    queue.add(ticket);
    CompletionThreads.Held held =
        waiting >= enough || ticket.waitedFor() ? null : CompletionThreads.held();
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
      if (closed) {
        sender.closed(remove(ticket -> true));
      } else if (looksForExpired) {
        looksForExpired = false;
        long now = System.nanoTime();
        sender.expired(remove(ticket -> ticket.expired(now)));
      }
      while (maySend()) {
        if (!sendNext()) {
          break;
        }
      }
      missed = drains.addAndGet(-missed);
    } while (missed != 0);
  }

  /** Sends one call; returns false if there is nothing to send, or no room for it. */
  private boolean sendNext() {
    if (queue.isEmpty()) {
      return false;
    }
    Destination destination = sender.destination(this);
    InFlightLimit gate = destination.limit();
    if (gate != null && !gate.enter(this)) {
      return false;
    }
    Batch batch = collect();
    if (batch == null) {
      if (gate != null) {
        gate.leave();
      }
      return false;
    }
    batch.enteredBy(gate);
    calls.incrementAndGet();
    sender.send(this, batch, destination);
    return true;
  }

  /** Says that the lane waits at a gate from now on; returns false if it did already. */
  boolean beginsToWait() {
    return atGate.compareAndSet(false, true);
  }

  /** Says that a gate forgets the lane. */
  void waitsNoMore() {
    atGate.set(false);
  }

  /**
   * An idle lane sends whatever waits; one with a call under way when that makes half a full call;
   * with more under way, only full ones, which keep the server from waiting for this process.
   */
  private boolean maySend() {
    int underWay = calls.get();
    return underWay == 0
        || (underWay < settings.maxCalls()
            && queued.get() >= (underWay == 1 ? enough : settings.maxBatch()));
  }

  private @Nullable Batch collect() {
    PendingAcquisition head = queue.peek();
    if (head == null) {
      return null;
    }
    Batch batch = new Batch(shapes);
    List<PendingAcquisition> expired = List.of();
    long now = System.nanoTime();
    int taken = 0;
    while (head != null
        && batch.different() < settings.maxBatch()
        && batch.size() < MAX_ACQUISITIONS
        && batch.fits(head)) {
      queue.poll();
      taken++;
      if (head.expired(now)) {
        expired = expired.isEmpty() ? new ArrayList<>() : expired;
        expired.add(head);
      } else if (!head.isDone()) {
        head.sent(now);
        batch.add(head);
      }
      head = queue.peek();
    }
    left(taken);
    sender.expired(expired);
    return batch.isEmpty() ? null : batch;
  }

  private void left(int taken) {
    queued.addAndGet(-taken);
    queuedInAll.addAndGet(-taken);
  }

  /**
   * Fails the acquisitions that waited too long; they were never sent. Sends what waits for the end
   * of a delivery that a caller's code delays.
   */
  void expire() {
    if (!queue.isEmpty()) {
      looksForExpired = true;
      drain();
    }
  }

  /** Removes the first in the queue as long as they are wanted; only within {@link #drain}. */
  private List<PendingAcquisition> remove(Predicate<PendingAcquisition> wanted) {
    List<PendingAcquisition> removed = new ArrayList<>();
    for (PendingAcquisition head = queue.peek();
        head != null && wanted.test(head);
        head = queue.peek()) {
      queue.poll();
      removed.add(head);
    }
    left(removed.size());
    return removed;
  }

  /** Sends nothing any more: what waits, and what still comes, fails. */
  void close() {
    closed = true;
    drain();
  }
}
