package dev.redline.spring.boot.test;

import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.ManualClock;
import java.time.Instant;
import java.util.Optional;

/** A store in memory whose buckets can all be made full at once. Thread-safe. */
final class StoreUnderManualClock extends ForwardingStore {
  private static final int MAX_KEYS = 100_000;

  private final ManualClock clock;
  private final Instant start;
  private volatile LocalStore current;

  StoreUnderManualClock(ManualClock clock) {
    this.clock = clock;
    this.start = clock.now();
    this.current = new LocalStore(MAX_KEYS, clock);
  }

  /** Forgets all buckets, and sets the clock to its start. */
  void startAgain() {
    LocalStore old = current;
    clock.set(start);
    current = new LocalStore(MAX_KEYS, clock);
    old.close();
  }

  @Override
  protected LocalStore delegate() {
    return current;
  }

  /** Returns this store, which does not fail: no other one is needed for {@code LOCAL} rules. */
  @Override
  public Optional<StorageProvider> fallback() {
    return Optional.of(this);
  }
}
