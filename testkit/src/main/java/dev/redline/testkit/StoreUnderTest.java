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
 * A store to be tested by the contract, with its clock: a {@link ManualClock}, or its own clock, in
 * which case the contract waits for short times.
 */
public final class StoreUnderTest implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 30;

  private final StorageProvider store;
  private final Optional<ManualClock> clock;
  private final Runnable housekeeping;

  private StoreUnderTest(
      StorageProvider store, Optional<ManualClock> clock, Runnable housekeeping) {
    this.store = Objects.requireNonNull(store);
    this.clock = clock;
    this.housekeeping = Objects.requireNonNull(housekeeping);
  }

  /** Returns a store that uses the given clock. */
  public static StoreUnderTest onManualClock(StorageProvider store, ManualClock clock) {
    return new StoreUnderTest(store, Optional.of(clock), () -> {});
  }

  /** Returns a store whose clock cannot be controlled. */
  public static StoreUnderTest onItsOwnClock(StorageProvider store) {
    return new StoreUnderTest(store, Optional.empty(), () -> {});
  }

  /**
   * Returns the same with a task that makes the store evict, at once, all buckets that it may
   * evict; the contract runs it where evicting too much would be noticed.
   */
  public StoreUnderTest withHousekeeping(Runnable evict) {
    return new StoreUnderTest(store, clock, evict);
  }

  /** Returns the store. */
  public StorageProvider store() {
    return store;
  }

  /** Returns the manual clock, if the store uses one. */
  public Optional<ManualClock> clock() {
    return clock;
  }

  /** Makes the store evict all buckets that it may evict. */
  void evict() {
    housekeeping.run();
  }

  /** Advances the store's time: moves its clock, or waits. */
  void advance(Duration time) {
    if (clock.isPresent()) {
      clock.get().advance(time);
      return;
    }
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Acquires synchronously if the store can, else waits for the outcome. */
  Outcome decide(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    return store.acquireNow(acquisition, outcome) ? outcome : await(acquisition);
  }

  /** Acquires asynchronously, and waits for the outcome. */
  Outcome await(Acquisition acquisition) {
    try {
      return store
          .acquire(acquisition)
          .toCompletableFuture()
          .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the store", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the store failed or did not decide in time", e);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
