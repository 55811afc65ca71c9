package dev.redline.core.store;

import dev.redline.core.limit.BucketLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the state of buckets, and decides acquisitions atomically.
 *
 * <p>Every implementation passes the store contract of the test kit: the arithmetic is exact, an
 * acquisition takes from all its keys or from none, a denial writes nothing, and no bucket is
 * removed before it is full. Thread-safe.
 */
public interface StorageProvider extends AutoCloseable {
  /** Returns the store's name in metrics and health: {@code local}, {@code redis}… */
  String type();

  /**
   * Decides an acquisition. Never throws and never blocks: a store that cannot decide completes the
   * stage with a {@link StoreException}.
   */
  CompletionStage<Outcome> acquire(Acquisition acquisition);

  /**
   * Is {@link #acquire} for a caller whose continuations only pass the outcome on, for example to
   * an event loop. They may run on an I/O thread of the store: one that blocks or computes for long
   * delays all other callers.
   */
  default CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return acquire(acquisition);
  }

  /**
   * Decides an acquisition at once if that needs no I/O, and writes the outcome.
   *
   * @return false if this store needs I/O for it; then nothing was done, and the caller has to use
   *     {@link #acquire}
   */
  default boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return false;
  }

  /**
   * Decides an acquisition, and waits for the outcome. A store with its own threads can complete a
   * waiting caller directly, without the change of threads that continuations of {@link #acquire}
   * need.
   *
   * @throws StoreException if the store cannot decide
   */
  default Outcome acquireAndWait(Acquisition acquisition) {
    try {
      return acquire(acquisition).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /**
   * Denies an acquisition that this store has denied before and whose advertised time has not come,
   * and writes the outcome. The engine calls it while the store fails, so that a denial holds until
   * its advertised time.
   *
   * @return false if no such denial is known; then nothing was done
   */
  default boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return false;
  }

  /**
   * Makes all buckets of some rules and plans full, for every caller and under any limits. A shared
   * store notifies the other nodes, which apply the reset within a second.
   *
   * @return a stage that completes when this node applies the reset, or fails if the store cannot
   */
  default CompletionStage<Void> reset(List<BucketLimits> owners) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("the store " + type() + " cannot reset buckets"));
  }

  /** Makes one bucket full; as {@link #reset(List)} otherwise. */
  default CompletionStage<Void> reset(RateLimitKey key) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("the store " + type() + " cannot reset buckets"));
  }

  /**
   * Returns the store of this node that decides for {@code LOCAL} rules while this one fails, if it
   * has one. The builder of an engine may set another.
   */
  default Optional<StorageProvider> fallback() {
    return Optional.empty();
  }

  /** Returns the counts of tokens that the store leases, if it does so. */
  default Optional<TokenLeases> leases() {
    return Optional.empty();
  }

  /** Returns the health of the store as it was last observed; does no I/O and never blocks. */
  default StoreHealth health() {
    return StoreHealth.UP;
  }

  /** Releases connections and threads of the store. Nothing may be acquired afterwards. */
  @Override
  void close();

  /**
   * How a store is doing, as it was last seen; what health endpoints show. Reading it calls no
   * store.
   *
   * @param up whether the store can decide
   * @param reason why it cannot; absent while it can
   * @param latency how long its last sign of life took; absent where there is no I/O
   * @param details what else people should know: topology, warnings
   */
  record StoreHealth(
      boolean up,
      Optional<String> reason,
      Optional<Duration> latency,
      Map<String, String> details) {
    /** A store in this process, which is always there. */
    public static final StoreHealth UP =
        new StoreHealth(true, Optional.empty(), Optional.empty(), Map.of());

    /** Copies the details. */
    public StoreHealth {
      details = Map.copyOf(details);
    }

    /** Returns the health of a store that cannot decide. */
    public static StoreHealth down(String reason) {
      return new StoreHealth(false, Optional.of(reason), Optional.empty(), Map.of());
    }
  }
}
