package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that Redis has not decided yet: the future of its outcome. The reply or the
 * deadline completes it, whichever comes first; a later reply has no effect.
 */
class PendingAcquisition extends CompletableFuture<Outcome> {
  /** Who waits for an acquisition, which decides on which threads it may complete. */
  enum Waiter {
    /** One blocked thread; no continuation depends on it. Any thread may wake it. */
    THREAD,
    /** Short continuations that only pass the outcome on. An I/O thread may run them. */
    EVENT_LOOP,
    /** Any other continuations. They must not run on an I/O thread. */
    CONTINUATIONS
  }

  private final Acquisition acquisition;
  private final BucketKey.Maker keys;
  private final long deadlineNanos;
  private final Waiter waiter;
  private volatile long sentNanos;
  private volatile boolean expiring;
  private @Nullable BucketKey @Nullable [] bucketKeys;
  private boolean isPart;
  private long generation;
  private long @Nullable [] generations;

  PendingAcquisition(
      Acquisition acquisition, BucketKey.Maker keys, long deadlineNanos, Waiter waiter) {
    this.acquisition = acquisition;
    this.keys = keys;
    this.deadlineNanos = deadlineNanos;
    this.waiter = waiter;
  }

  Acquisition acquisition() {
    return acquisition;
  }

  /**
   * Returns the Redis key of a bucket. Made on first use and kept: encoding and hashing the
   * identity is done once, and not at all for an acquisition that joins an equal one in its batch.
   */
  BucketKey key(int i) {
    @Nullable BucketKey[] made = bucketKeys;
    if (made == null) {
      made = new BucketKey[acquisition.size()];
      bucketKeys = made;
    }
    BucketKey key = made[i];
    if (key == null) {
      key = keys.of(acquisition.key(i));
      made[i] = key;
    }
    return key;
  }

  /** Returns how many equal acquisitions it stands for. */
  int runLength() {
    return 1;
  }

  /** Sets how many of the equal acquisitions passed. */
  void passed(long count) {}

  /** Returns an acquisition of some of the keys, under the same deadline. */
  PendingAcquisition part(List<Integer> members) {
    Acquisition.Builder builder = Acquisition.builder().dryRun(acquisition.dryRun());
    for (int member : members) {
      builder.add(acquisition.key(member), acquisition.cost(member), acquisition.shadow(member));
    }
    PendingAcquisition part = new PendingAcquisition(builder.build(), keys, deadlineNanos, waiter);
    @Nullable BucketKey[] partKeys = new BucketKey[members.size()];
    for (int i = 0; i < partKeys.length; i++) {
      partKeys[i] = key(members.get(i));
    }
    part.bucketKeys = partKeys;
    part.isPart = true;
    return part;
  }

  /** Returns whether it has only some of the keys of an acquisition. */
  boolean isPart() {
    return isPart;
  }

  /** Returns whether completing it only wakes a thread, so that any thread may complete it. */
  boolean isBlocking() {
    return waiter == Waiter.THREAD;
  }

  Waiter waiter() {
    return waiter;
  }

  boolean expired(long nanos) {
    return nanos - deadlineNanos >= 0;
  }

  /** Sets when it was sent, which is before the server reads its clock. */
  void sent(long nanos) {
    sentNanos = nanos;
  }

  long sentNanos() {
    return sentNanos;
  }

  /** Sets the generation that was sent for the bucket of key {@code i}. */
  void setGeneration(int i, long value) {
    if (acquisition.size() == 1) {
      generation = value;
      return;
    }
    if (generations == null) {
      generations = new long[acquisition.size()];
    }
    generations[i] = value;
  }

  /** Returns the generation that was sent for the bucket of key {@code i}. */
  long generation(int i) {
    return generations == null ? generation : generations[i];
  }

  /** Returns true once, to the caller that delivers the time-out; false if it is done. */
  boolean tryExpire() {
    if (expiring) {
      return false;
    }
    expiring = true;
    return !isDone();
  }

  void fail(StoreException.Kind kind, String message) {
    completeExceptionally(new StoreException(kind, message));
  }

  /** Runs a callback when it completes, with an outcome or a failure. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void onCompletion(Runnable callback) {
    whenComplete((outcome, failure) -> callback.run());
  }

  /** Returns why it failed; only for one that did. */
  Throwable failure() {
    try {
      join();
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
    throw new IllegalStateException("the acquisition did not fail");
  }
}
