package dev.redline.core.store;

import dev.redline.core.limit.BucketLimits;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Keeps bucket state, and takes acquisitions from it atomically.
 *
 * <p>Every implementation passes the store contract of the test kit: exact arithmetic, all or
 * nothing, nothing written on refusal, no bucket forgotten before it is full again. Thread-safe.
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
   * Takes an acquisition at once if that needs no I/O, and fills the outcome.
   *
   * @return false if this store has to do I/O for it; then nothing was done, and {@link #acquire}
   *     is the way
   */
  default boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return false;
  }

  /**
   * Decides an acquisition, and waits for the outcome. A store with threads of its own can spare a
   * waiting caller the change of threads that {@link #acquire} owes to continuations.
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
   * Refuses an acquisition by what the store remembers of its own refusals, for whoever decides
   * while it cannot: what it refused stays refused until the advertised time. Fills the outcome.
   *
   * @return false if nothing that is remembered refuses it; then nothing was done
   */
  default boolean refuseFromMemory(Acquisition acquisition, Outcome outcome) {
    return false;
  }

  /**
   * Makes every bucket of some rules and plans full: all of their owners, under any limits. A
   * shared store tells the other nodes, which know within a second.
   *
   * @return a stage that completes when this node goes by it, or fails if the store cannot reset
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
   * brings one. Who builds an engine may choose another.
   */
  default Optional<StorageProvider> fallback() {
    return Optional.empty();
  }

  /** Returns the counts of tokens that the store leases, if it does so. */
  default Optional<TokenLeases> leases() {
    return Optional.empty();
  }

  /** Returns how the store is doing, as it was last seen; calls nothing and never blocks. */
  default StoreHealth health() {
    return StoreHealth.UP;
  }

  /** Releases what the store holds: connections, threads. Nothing may be acquired after it. */
  @Override
  void close();
}
