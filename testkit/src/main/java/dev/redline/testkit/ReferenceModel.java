package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * The reference that stores are compared with: slow and obvious, with {@link
 * java.math.BigInteger}s, and without code of the arithmetic that the stores use. Never evicts a
 * bucket. Not thread-safe.
 */
public final class ReferenceModel {
  private final Map<RateLimitKey, List<ReferenceBand>> buckets = new HashMap<>();

  /**
   * The result of an acquisition for one band.
   *
   * @param passes whether the band has enough tokens
   * @param remaining the tokens before the acquisition, rounded down
   * @param remainingAfter the tokens after it
   * @param waitMicros the time until there are enough, rounded up; 0 if the cost exceeds the
   *     capacity
   * @param resetMicros how long until the band is full; a window: until its end
   */
  public record ExpectedBand(
      boolean passes, long remaining, long remainingAfter, long waitMicros, long resetMicros) {}

  /**
   * The outcome that the model expects.
   *
   * @param allowed whether all keys pass, except shadow keys
   * @param keys the bands of each key, in order
   */
  public record ExpectedOutcome(boolean allowed, List<List<ExpectedBand>> keys) {
    /** Returns whether all bands of key {@code i} pass. */
    public boolean passed(int i) {
      return keys.get(i).stream().allMatch(ExpectedBand::passes);
    }
  }

  /** Decides an acquisition at a time, in microseconds since the epoch, and applies it. */
  public ExpectedOutcome acquire(Acquisition acquisition, long nowMicros) {
    return acquire(acquisition, i -> nowMicros);
  }

  /** Decides an acquisition whose keys are evaluated at different times. */
  public ExpectedOutcome acquire(Acquisition acquisition, IntToLongFunction nowMicros) {
    List<Boolean> passed = new ArrayList<>();
    boolean allowed = true;
    for (int i = 0; i < acquisition.size(); i++) {
      boolean passes = true;
      for (ReferenceBand band : bucket(acquisition.key(i))) {
        if (!acquisition.dryRun()) {
          band.onClockStep(nowMicros.applyAsLong(i));
        }
        passes &= band.allows(nowMicros.applyAsLong(i), acquisition.cost(i));
      }
      passed.add(passes);
      allowed &= passes || acquisition.shadow(i);
    }
    boolean applies = allowed && !acquisition.dryRun();
    List<List<ExpectedBand>> keys =
        IntStream.range(0, acquisition.size())
            .mapToObj(
                i ->
                    expectedBands(
                        acquisition, i, nowMicros.applyAsLong(i), applies && passed.get(i)))
            .toList();
    return new ExpectedOutcome(allowed, keys);
  }

  private List<ExpectedBand> expectedBands(
      Acquisition acquisition, int i, long now, boolean applies) {
    long cost = acquisition.cost(i);
    List<ExpectedBand> bands = new ArrayList<>();
    for (ReferenceBand band : bucket(acquisition.key(i))) {
      boolean passes = band.allows(now, cost);
      long remaining = band.remaining(now);
      long wait = cost > band.capacity() ? 0 : band.waitMicros(now, cost);
      long reset = band.resetMicros(now);
      if (applies) {
        band.acquire(now, cost);
      }
      bands.add(new ExpectedBand(passes, remaining, band.remaining(now), wait, reset));
    }
    return bands;
  }

  private List<ReferenceBand> bucket(RateLimitKey key) {
    return buckets.computeIfAbsent(key, k -> fullBucket(k.limits()));
  }

  private static List<ReferenceBand> fullBucket(BucketLimits limits) {
    return IntStream.range(0, limits.size())
        .mapToObj(b -> ReferenceBand.of(limits.band(b).band()))
        .toList();
  }
}
