package dev.redline.core;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a decision point denied, until the time that it advertised: while it fails, such callers
 * stay denied. At most {@value #MAX_ENTRIES} buckets, with {@value #MAX_COSTS} costs each; further
 * denials are not remembered. Thread-safe.
 */
final class RememberedDenials {
  private static final int MAX_ENTRIES = 100_000;
  private static final int MAX_COSTS = 4;
  private static final long SWEEP_NANOS = 100_000_000;

  /** A denial of one bucket: all calls that cost as much are denied until its time. */
  private record Denial(RateLimitResult result, long cost, long untilNanos) {
    boolean isOver(long now) {
      return now - untilNanos >= 0;
    }

    /** Returns whether it denies all calls that another one denies, and for as long. */
    boolean includes(Denial other) {
      return cost <= other.cost && untilNanos - other.untilNanos >= 0;
    }
  }

  /** The denials of each bucket: a higher cost has to wait longer. */
  private final Map<RateLimitKey, List<Denial>> denials = new ConcurrentHashMap<>();

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
        Denial denial = new Denial(result, acquisition.cost(i), now + nanos(wait));
        denials.merge(key, List.of(denial), (known, added) -> with(known, denial, now));
      }
    }
  }

  /** Returns denials and a further one, without those that it includes. */
  private static List<Denial> with(List<Denial> known, Denial added, long now) {
    List<Denial> all = new ArrayList<>(known.size() + 1);
    for (Denial denial : known) {
      if (denial.includes(added)) {
        return known;
      }
      if (!denial.isOver(now) && !added.includes(denial) && all.size() < MAX_COSTS - 1) {
        all.add(denial);
      }
    }
    all.add(added);
    return List.copyOf(all);
  }

  private static long nanos(Duration wait) {
    return wait.compareTo(Duration.ofDays(366)) < 0
        ? wait.toNanos()
        : Duration.ofDays(366).toNanos();
  }

  private boolean hasRoom(long now) {
    if (denials.size() >= MAX_ENTRIES && now - sweptNanos > SWEEP_NANOS) {
      sweptNanos = now;
      denials.values().removeIf(of -> of.stream().allMatch(denial -> denial.isOver(now)));
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
      List<Denial> known = acquisition.shadow(i) ? null : denials.get(acquisition.key(i));
      for (Denial denial : known == null ? List.<Denial>of() : known) {
        if (acquisition.cost(i) >= denial.cost
            && !denial.isOver(now)
            && (longest == null || denial.untilNanos - longest.untilNanos > 0)) {
          longest = denial;
        }
      }
    }
    return longest == null
        ? null
        : longest.result.asDegraded((longest.untilNanos - now + 999) / 1000);
  }
}
