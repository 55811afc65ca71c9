package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Completes the acquisitions of one call. Completing one runs its caller's continuations, which may
 * block; therefore several threads can run the same delivery, and each continues with the next
 * acquisition that none of them has taken.
 */
final class ResultDelivery implements Runnable {
  private final List<PendingAcquisition> acquisitions;
  private final Supplier<Object[]> reading;
  private final AtomicInteger next = new AtomicInteger();
  private Object @Nullable [] results;

  // Used by the thread that calls helpersNeeded: the progress it last saw, and helpers started.
  private int seenAt = -1;
  private long seenNanos;
  private int helpers;

  /**
   * Creates the delivery.
   *
   * @param reading returns an {@link Outcome} or a {@link StoreException} for each acquisition;
   *     called once, on a thread of the delivery
   */
  ResultDelivery(List<PendingAcquisition> acquisitions, Supplier<Object[]> reading) {
    this.acquisitions = acquisitions;
    this.reading = reading;
  }

  static ResultDelivery ofFailure(List<PendingAcquisition> acquisitions, StoreException failure) {
    return new ResultDelivery(
        acquisitions,
        () -> {
          Object[] all = new Object[acquisitions.size()];
          Arrays.fill(all, failure);
          return all;
        });
  }

  private synchronized Object[] results() {
    if (results == null) {
      try {
        results = reading.get();
      } catch (RuntimeException e) {
        // Deadlines no longer watches these acquisitions, so they must be completed here.
        results = new Object[acquisitions.size()];
        Arrays.fill(
            results,
            new StoreException(StoreException.Kind.BAD_RESPONSE, "reading the reply failed", e));
      }
    }
    return results;
  }

  @Override
  public void run() {
    Object[] all = results();
    for (int i = next.getAndIncrement(); i < all.length; i = next.getAndIncrement()) {
      complete(acquisitions.get(i), all[i]);
    }
  }

  /** Completes the acquisitions that only wake a blocked thread; runs no caller's code. */
  void completeBlocking() {
    Object[] all = results();
    for (int i = next.get(); i < all.length; i++) {
      if (acquisitions.get(i).isBlocking()) {
        complete(acquisitions.get(i), all[i]);
      }
    }
  }

  private static void complete(PendingAcquisition pending, Object result) {
    if (result instanceof StoreException failure) {
      pending.completeExceptionally(failure);
    } else {
      pending.complete((Outcome) result);
    }
  }

  /** Returns whether every acquisition is completed, or taken by a thread that completes it. */
  boolean isComplete() {
    return next.get() >= acquisitions.size();
  }

  /**
   * Returns how many threads to start because the delivery has stalled; twice as many each time.
   * Called by one thread.
   */
  int helpersNeeded(long nanos, long stallNanos) {
    int at = next.get();
    if (at != seenAt) {
      seenAt = at;
      seenNanos = nanos;
      return 0;
    }
    if (nanos - seenNanos < stallNanos) {
      return 0;
    }
    seenNanos = nanos;
    helpers = Math.max(1, Math.min(helpers * 2, acquisitions.size() - at));
    return helpers;
  }
}
