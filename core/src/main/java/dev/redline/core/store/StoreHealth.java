package dev.redline.core.store;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How a store is doing, as it was last seen; what health endpoints show. Reading it calls no store.
 *
 * @param up whether the store can decide
 * @param reason why it cannot; absent while it can
 * @param latency how long its last sign of life took; absent where there is no I/O
 * @param details what else people should know: topology, warnings
 */
public record StoreHealth(
    boolean up, Optional<String> reason, Optional<Duration> latency, Map<String, String> details) {
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
