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
 * What a store must answer: slow, obvious, in integers of any size, and sharing nothing with the
 * arithmetic that the stores run. Forgets nothing. Not thread-safe.
 */
public final class ReferenceModel {
  private final Map<RateLimitKey, List<ReferenceBand>> buckets = new HashMap<>();

  /**
   * What is known of one band when it is asked for a cost.
   *
   * @param passes whether the cost is there
   * @param remaining how many are left before anything is taken, rounded down
   * @param remainingAfter how many are left once the acquisition is decided
   * @param waitMicros how long until the cost is there, rounded up; 0 if it exceeds the capacity
   * @param resetMicros how long until the band is full; a window: until its end
   */
  public record BandAnswer(
      boolean passes, long remaining, long remainingAfter, long waitMicros, long resetMicros) {}

  /**
   * What the model answers.
   *
   * @param allowed whether everything that may refuse passes
   * @param keys the bands of each key, in order
   */
  public record Answer(boolean allowed, List<List<BandAnswer>> keys) {
    /** Returns whether all bands of key {@code i} pass. */
    public boolean passed(int i) {
      return keys.get(i).stream().allMatch(BandAnswer::passes);
    }
  }

  /** Decides an acquisition at a moment, in microseconds since the epoch, and takes it. */
  public Answer acquire(Acquisition acquisition, long nowMicros) {
    return acquire(acquisition, i -> nowMicros);
  }

  /** Decides an acquisition each key of which is looked at in a moment of its own. */
  public Answer acquire(Acquisition acquisition, IntToLongFunction nowMicros) {
    List<Boolean> passed = new ArrayList<>();
    boolean allowed = true;
    for (int i = 0; i < acquisition.size(); i++) {
      boolean passes = true;
      for (ReferenceBand band : bucket(acquisition.key(i))) {
        if (!acquisition.dryRun()) {
          band.meet(nowMicros.applyAsLong(i));
        }
        passes &= band.admits(nowMicros.applyAsLong(i), acquisition.cost(i));
      }
      passed.add(passes);
      allowed &= passes || acquisition.shadow(i);
    }
    boolean takes = allowed && !acquisition.dryRun();
    List<List<BandAnswer>> keys =
        IntStream.range(0, acquisition.size())
            .mapToObj(i -> answer(acquisition, i, nowMicros.applyAsLong(i), takes && passed.get(i)))
            .toList();
    return new Answer(allowed, keys);
  }

  private List<BandAnswer> answer(Acquisition acquisition, int i, long now, boolean takes) {
    long cost = acquisition.cost(i);
    List<BandAnswer> answers = new ArrayList<>();
    for (ReferenceBand band : bucket(acquisition.key(i))) {
      boolean passes = band.admits(now, cost);
      long remaining = band.remaining(now);
      long wait = cost > band.capacity() ? 0 : band.waitMicros(now, cost);
      long reset = band.resetMicros(now);
      if (takes) {
        band.take(now, cost);
      }
      answers.add(new BandAnswer(passes, remaining, band.remaining(now), wait, reset));
    }
    return answers;
  }

  private List<ReferenceBand> bucket(RateLimitKey key) {
    return buckets.computeIfAbsent(key, k -> fresh(k.limits()));
  }

  private static List<ReferenceBand> fresh(BucketLimits limits) {
    return IntStream.range(0, limits.size())
        .mapToObj(b -> ReferenceBand.of(limits.band(b).band()))
        .toList();
  }
}
