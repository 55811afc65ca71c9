package dev.redline.stores.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one group of slots, which is sent in batches.
 *
 * <p>This is <a href="https://mechanical-sympathy.blogspot.com/2011/10/smart-batching.html">natural
 * batching</a>: acquisitions collect while a call is in flight, and all that fit are sent together
 * when it returns, without an artificial delay. A second call is sent earlier if half a batch is
 * waiting. An idle lane sends on the caller's thread. Lock-free; no thread waits.
 */
final class Lane {
  /** Sends batches; calls {@link Lane#finished} after each. */
  interface Sender {
    /** Returns where the next call of a lane goes. */
    Destination destination(Lane lane);

    void send(Lane lane, Batch batch, Destination destination);

    /** Fails acquisitions that waited too long and were never sent. */
    void expired(List<PendingAcquisition> acquisitions);

    /** Fails acquisitions that were not sent because the store was closed. */
    void closed(List<PendingAcquisition> acquisitions);
  }

  /** How many acquisitions one call carries at most, equal ones included. */
  private static final int MAX_ACQUISITIONS = 256;

  private final Queue<PendingAcquisition> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final QueueLimit queueLimit;
  private final AtomicInteger callsInFlight = new AtomicInteger();
  private final AtomicInteger drainRequests = new AtomicInteger();
  private final AtomicBoolean waitsForLimit = new AtomicBoolean();
  private final int slot;
  private final RedisSettings settings;
  private final ScriptParameters.Cache parameters;
  private final Sender sender;
  private final LongSupplier nanoClock;
  private final int halfBatch;
  private volatile boolean checkExpired;
  private volatile boolean closed;

  /**
   * Creates a lane.
   *
   * @param slot the cluster slot of its hash tag
   * @param queueLimit how many acquisitions may wait in all lanes of the store
   */
  Lane(
      int slot,
      QueueLimit queueLimit,
      RedisSettings settings,
      ScriptParameters.Cache parameters,
      LongSupplier nanoClock,
      Sender sender) {
    this.slot = slot;
    this.queueLimit = queueLimit;
    this.settings = settings;
    this.parameters = parameters;
    this.nanoClock = nanoClock;
    this.sender = sender;
    this.halfBatch = (settings.maxBatch() + 1) / 2;
  }

  /** Returns the cluster slot of the lane's hash tag. */
  int slot() {
    return slot;
  }

  /** Queues an acquisition; returns false if the store's queue is full. */
  boolean submit(PendingAcquisition pending) {
    if (!queueLimit.tryEnter()) {
      return false;
    }
    int waiting = queued.incrementAndGet();
    queue.add(pending);
    DeferredLanes deferred =
        waiting >= halfBatch || pending.isBlocking() ? null : DeferredLanes.current();
    if (deferred == null) {
      drain();
    } else {
      deferred.add(this);
    }
    return true;
  }

  /** Counts a call that the lane did not send itself. */
  void started() {
    callsInFlight.incrementAndGet();
  }

  /** Ends a call, which has succeeded or failed, and sends the next one. */
  void finished() {
    callsInFlight.decrementAndGet();
    drain();
  }

  /**
   * Sends queued acquisitions, as far as calls are allowed. Only one thread does so at a time; it
   * also does it for threads that call this meanwhile.
   */
  void drain() {
    if (drainRequests.getAndIncrement() != 0) {
      return;
    }
    int missed = 1;
    do {
      if (closed) {
        sender.closed(remove(pending -> true));
      } else if (checkExpired) {
        checkExpired = false;
        long now = nanoClock.getAsLong();
        sender.expired(remove(pending -> pending.expired(now)));
      }
      while (maySend()) {
        if (!sendNext()) {
          break;
        }
      }
      missed = drainRequests.addAndGet(-missed);
    } while (missed != 0);
  }

  /** Sends one call; returns false if the queue is empty or the in-flight limit is reached. */
  private boolean sendNext() {
    if (queue.isEmpty()) {
      return false;
    }
    Destination destination = sender.destination(this);
    InFlightLimit limit = destination.limit();
    if (limit != null && !limit.tryEnter(this)) {
      return false;
    }
    Batch batch = collect();
    if (batch == null) {
      if (limit != null) {
        limit.leave();
      }
      return false;
    }
    batch.countedBy(limit);
    callsInFlight.incrementAndGet();
    sender.send(this, batch, destination);
    return true;
  }

  /** Marks the lane as waiting for an in-flight limit; returns false if it was already. */
  boolean startWaiting() {
    return waitsForLimit.compareAndSet(false, true);
  }

  /** Marks the lane as no longer waiting for an in-flight limit. */
  void stopWaiting() {
    waitsForLimit.set(false);
  }

  /**
   * Without a call in flight any batch is sent; with one, half a batch; with more, only full
   * batches, which keep the server busy while replies are processed.
   */
  private boolean maySend() {
    int inFlight = callsInFlight.get();
    return inFlight == 0
        || (inFlight < settings.maxCalls()
            && queued.get() >= (inFlight == 1 ? halfBatch : settings.maxBatch()));
  }

  private @Nullable Batch collect() {
    PendingAcquisition head = queue.peek();
    if (head == null) {
      return null;
    }
    Batch batch = new Batch(parameters);
    List<PendingAcquisition> expired = List.of();
    long now = nanoClock.getAsLong();
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
    removed(taken);
    sender.expired(expired);
    return batch.isEmpty() ? null : batch;
  }

  private void removed(int taken) {
    queued.addAndGet(-taken);
    queueLimit.leave(taken);
  }

  /**
   * Fails the acquisitions that waited too long; they were never sent. Also sends acquisitions that
   * a delivery deferred, in case a continuation blocks it.
   */
  void expire() {
    if (!queue.isEmpty()) {
      checkExpired = true;
      drain();
    }
  }

  /** Removes acquisitions from the head of the queue; only called by {@link #drain}. */
  private List<PendingAcquisition> remove(Predicate<PendingAcquisition> condition) {
    List<PendingAcquisition> removed = new ArrayList<>();
    for (PendingAcquisition head = queue.peek();
        head != null && condition.test(head);
        head = queue.peek()) {
      queue.poll();
      removed.add(head);
    }
    removed(removed.size());
    return removed;
  }

  /** Fails all queued acquisitions, and those that are submitted later. */
  void close() {
    closed = true;
    drain();
  }
}
