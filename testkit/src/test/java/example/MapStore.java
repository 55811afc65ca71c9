package example;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A complete store, to copy from: loads the states of all keys, decides, keeps what changed.
 *
 * <p>A store that does I/O does the same in one transaction, off the caller's thread, and completes
 * the stage with a {@code StoreException} where it fails.
 */
final class MapStore implements StorageProvider {
  private final Map<RateLimitKey, long[]> states = new HashMap<>();
  private final Map<RateLimitKey, Long> fullAtMicros = new HashMap<>();
  private final MicrosClock clock;

  MapStore(MicrosClock clock) {
    this.clock = clock;
  }

  @Override
  public String type() {
    return "map";
  }

  @Override
  public synchronized CompletionStage<Outcome> acquire(Acquisition acquisition) {
    BucketStates buckets = new BucketStates(acquisition);
    for (int i = 0; i < acquisition.size(); i++) {
      long[] state = states.get(acquisition.key(i));
      if (state != null) {
        buckets.load(i, state);
      }
    }
    long now = clock.nowMicros();
    Outcome outcome = buckets.decide(now);
    for (int i = 0; i < acquisition.size(); i++) {
      if (buckets.isChanged(i)) {
        states.put(acquisition.key(i), buckets.state(i));
        fullAtMicros.put(acquisition.key(i), now + buckets.microsToFull(i, now));
      }
    }
    return CompletableFuture.completedFuture(outcome);
  }

  /** Drops the states of full buckets, as the expiry of a database would. */
  synchronized void removeFull() {
    long now = clock.nowMicros();
    states.keySet().removeIf(key -> fullAtMicros.get(key) <= now);
    fullAtMicros.keySet().retainAll(states.keySet());
  }

  @Override
  public void close() {}
}
