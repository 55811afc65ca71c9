package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition on its way to Redis, all of whose keys share a slot. It is answered once: by the
 * reply, or by its deadline; a reply that comes later is not an answer any more.
 */
final class PendingAcquisition extends CompletableFuture<Outcome> {
  private final Acquisition acquisition;
  private final BucketKey.Maker keys;
  private final long deadlineNanos;
  private final boolean waitedFor;
  private volatile long sentNanos;
  private volatile boolean expiring;
  private @Nullable BucketKey @Nullable [] bucketKeys;
  private long generation;
  private long @Nullable [] generations;

  /**
   * Creates the ticket.
   *
   * @param waitedFor whether nothing hears of the answer but one thread that waits for it
   */
  PendingAcquisition(
      Acquisition acquisition, BucketKey.Maker keys, long deadlineNanos, boolean waitedFor) {
    this.acquisition = acquisition;
    this.keys = keys;
    this.deadlineNanos = deadlineNanos;
    this.waitedFor = waitedFor;
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

  /** Returns an acquisition of some of the keys, under the same deadline. */
  PendingAcquisition part(List<Integer> members) {
    Acquisition.Builder builder = Acquisition.builder().dryRun(acquisition.dryRun());
    for (int member : members) {
      builder.add(acquisition.key(member), acquisition.cost(member), acquisition.shadow(member));
    }
    PendingAcquisition part =
        new PendingAcquisition(builder.build(), keys, deadlineNanos, waitedFor);
    @Nullable BucketKey[] partKeys = new BucketKey[members.size()];
    for (int i = 0; i < partKeys.length; i++) {
      partKeys[i] = key(members.get(i));
    }
    part.bucketKeys = partKeys;
    return part;
  }

  /** Returns whether answering it runs nobody's code, so that any thread may do it. */
  boolean waitedFor() {
    return waitedFor;
  }

  boolean expired(long nanos) {
    return nanos - deadlineNanos >= 0;
  }

  /** Notes when it was sent, which is before the server looks at its clock. */
  void sent(long nanos) {
    sentNanos = nanos;
  }

  long sentNanos() {
    return sentNanos;
  }

  /** Notes of which generation the bucket of key {@code i} was asked for. */
  void sentAs(int i, long sentGeneration) {
    if (acquisition.size() == 1) {
      generation = sentGeneration;
      return;
    }
    if (generations == null) {
      generations = new long[acquisition.size()];
    }
    generations[i] = sentGeneration;
  }

  /** Returns of which generation the bucket of key {@code i} was asked for. */
  long generation(int i) {
    return generations == null ? generation : generations[i];
  }

  /** Returns whether its time-out is to be delivered: true once, so that it is queued once. */
  boolean beginsToExpire() {
    if (expiring) {
      return false;
    }
    expiring = true;
    return !isDone();
  }

  void fail(StoreException.Kind kind, String message) {
    completeExceptionally(new StoreException(kind, message));
  }

  /** Calls back once it is answered, whatever the answer. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void onAnswer(Runnable callback) {
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

  /**
   * Returns whether the other one asks for the same of the same bucket and can be counted with it.
   */
  boolean coalescesWith(PendingAcquisition other) {
    return acquisition.size() == 1
        && other.acquisition.size() == 1
        && !acquisition.dryRun()
        && !other.acquisition.dryRun()
        && !acquisition.shadow(0)
        && !other.acquisition.shadow(0)
        && acquisition.cost(0) == other.acquisition.cost(0)
        && acquisition.key(0).equals(other.acquisition.key(0))
        && acquisition.key(0).limits().equals(other.acquisition.key(0).limits());
  }
}
