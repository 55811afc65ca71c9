package dev.redline.testkit;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A store that is put to the contract, and the time it lives in: a {@link ManualClock}, or a clock
 * of its own that nobody can move; then the contract waits, for short whiles.
 */
public final class StoreUnderTest implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  private final StorageProvider store;
  private final Optional<ManualClock> clock;
  private final Runnable housekeeping;

  private StoreUnderTest(
      StorageProvider store, Optional<ManualClock> clock, Runnable housekeeping) {
    this.store = Objects.requireNonNull(store);
    this.clock = clock;
    this.housekeeping = Objects.requireNonNull(housekeeping);
  }

  /** Puts a store to the contract that reads the given clock. */
  public static StoreUnderTest onManualClock(StorageProvider store, ManualClock clock) {
    return new StoreUnderTest(store, Optional.of(clock), () -> {});
  }

  /** Puts a store to the contract whose clock cannot be moved. */
  public static StoreUnderTest onItsOwnClock(StorageProvider store) {
    return new StoreUnderTest(store, Optional.empty(), () -> {});
  }

  /**
   * Returns the same, with a way to make the store forget what it may forget, at once instead of in
   * its own time; the contract uses it where forgetting too much would show.
   */
  public StoreUnderTest withHousekeeping(Runnable forget) {
    return new StoreUnderTest(store, clock, forget);
  }

  /** Returns the store. */
  public StorageProvider store() {
    return store;
  }

  /** Returns the clock, if it can be moved. */
  public Optional<ManualClock> clock() {
    return clock;
  }

  /** Makes the store forget what it may forget. */
  void forget() {
    housekeeping.run();
  }

  /** Lets time pass in the store: moves its clock, or waits. */
  void pass(Duration time) {
    if (clock.isPresent()) {
      clock.get().advance(time);
      return;
    }
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Takes an acquisition, at once where the store can, else by waiting for its answer. */
  Outcome decide(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    return store.acquireNow(acquisition, outcome) ? outcome : await(acquisition);
  }

  /** Takes an acquisition the asynchronous way. */
  Outcome await(Acquisition acquisition) {
    try {
      return store
          .acquire(acquisition)
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the store decides", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the store does not decide", e);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
