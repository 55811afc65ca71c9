package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of one call on their way to the callers. Completing a ticket runs the caller's
 * continuations, which may block: therefore several threads can run one delivery, and each goes on
 * with the next ticket that none of them has completed.
 */
final class ResultDelivery implements Runnable {
  private final List<PendingAcquisition> tickets;
  private final Supplier<Object[]> reading;
  private final AtomicInteger next = new AtomicInteger();
  private Object @Nullable [] results;

  // Where the watching thread last saw it, and how many threads it has started for it.
  private int seenAt = -1;
  private long seenNanos;
  private int helpers;

  /**
   * Creates the delivery.
   *
   * @param reading returns an {@link Outcome} or a {@link StoreException} for each ticket; called
   *     once, on a thread of the delivery
   */
  ResultDelivery(List<PendingAcquisition> tickets, Supplier<Object[]> reading) {
    this.tickets = tickets;
    this.reading = reading;
  }

  static ResultDelivery ofFailure(List<PendingAcquisition> tickets, StoreException failure) {
    return new ResultDelivery(
        tickets,
        () -> {
          Object[] all = new Object[tickets.size()];
          Arrays.fill(all, failure);
          return all;
        });
  }

  private synchronized Object[] results() {
    if (results == null) {
      try {
        results = reading.get();
      } catch (RuntimeException e) {
        // The deadlines of these tickets are over: nobody else would ever complete them.
        results = new Object[tickets.size()];
        Arrays.fill(
            results,
            new StoreException(StoreException.Kind.BAD_RESPONSE, "a reply could not be read", e));
      }
    }
    return results;
  }

  @Override
  public void run() {
    Object[] all = results();
    for (int i = next.getAndIncrement(); i < all.length; i = next.getAndIncrement()) {
      complete(tickets.get(i), all[i]);
    }
  }

  /** Completes the tickets that only a waiting thread hears of, which runs no caller's code. */
  void wakeWaiting() {
    Object[] all = results();
    for (int i = next.get(); i < all.length; i++) {
      if (tickets.get(i).waitedFor()) {
        complete(tickets.get(i), all[i]);
      }
    }
  }

  private static void complete(PendingAcquisition ticket, Object result) {
    if (result instanceof StoreException failure) {
      ticket.completeExceptionally(failure);
    } else {
      ticket.complete((Outcome) result);
    }
  }

  /** Returns whether every ticket is completed, or about to be by a thread that runs this. */
  boolean isOver() {
    return next.get() >= tickets.size();
  }

  /**
   * Returns how many threads should help, because it has not advanced for so long; twice as many
   * each time. Called by one thread.
   */
  int helpNeeded(long nanos, long patienceNanos) {
    int at = next.get();
    if (at != seenAt) {
      seenAt = at;
      seenNanos = nanos;
      return 0;
    }
    if (nanos - seenNanos < patienceNanos) {
      return 0;
    }
    seenNanos = nanos;
    helpers = Math.max(1, Math.min(helpers * 2, tickets.size() - at));
    return helpers;
  }
}
