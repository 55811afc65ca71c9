package dev.redline.core;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a decision point denied, until the time that it advertised: while it fails, such callers
 * stay denied. At most {@value #MAX_ENTRIES} entries; further denials are not remembered.
 * Thread-safe.
 */
final class RememberedDenials {
  private static final int MAX_ENTRIES = 100_000;
  private static final long SWEEP_NANOS = 100_000_000;

  /** A denial of one bucket: all calls that cost as much are denied until its time. */
  private record Denial(RateLimitResult result, long cost, long untilNanos) {}

  private final Map<RateLimitKey, Denial> denials = new ConcurrentHashMap<>();
  private volatile long sweptNanos = System.nanoTime();

  /**
   * Remembers a denial.
   *
   * @param acquisition the buckets of the check by the rules that are known here
   */
  void learn(Acquisition acquisition, RateLimitResult result) {
    Duration wait = result.retryAfter().orElse(Duration.ZERO);
    String owner = result.ruleId().or(result::plan).orElse("");
    long now = System.nanoTime();
    for (int i = 0; i < acquisition.size(); i++) {
      RateLimitKey key = acquisition.key(i);
      if (key.limits().ownerId().equals(owner) && hasRoom(now)) {
        denials.put(key, new Denial(result, acquisition.cost(i), now + nanos(wait)));
      }
    }
  }

  private static long nanos(Duration wait) {
    return wait.compareTo(Duration.ofDays(366)) < 0
        ? wait.toNanos()
        : Duration.ofDays(366).toNanos();
  }

  private boolean hasRoom(long now) {
    if (denials.size() >= MAX_ENTRIES && now - sweptNanos > SWEEP_NANOS) {
      sweptNanos = now;
      denials.values().removeIf(denial -> now - denial.untilNanos >= 0);
    }
    return denials.size() < MAX_ENTRIES;
  }

  /** Returns the denial of an acquisition with the longest wait, or null if none is known. */
  @Nullable RateLimitResult find(Acquisition acquisition) {
    if (denials.isEmpty()) {
      return null;
    }
    long now = System.nanoTime();
    Denial longest = null;
    for (int i = 0; i < acquisition.size(); i++) {
      Denial denial = acquisition.shadow(i) ? null : denials.get(acquisition.key(i));
      if (denial != null
          && acquisition.cost(i) >= denial.cost
          && denial.untilNanos - now > 0
          && (longest == null || denial.untilNanos - longest.untilNanos > 0)) {
        longest = denial;
      }
    }
    return longest == null
        ? null
        : longest.result.asDegraded((longest.untilNanos - now + 999) / 1000);
  }
}
