package dev.redline.core.internal.memory;

import dev.redline.core.internal.limit.ContinuousBucket;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;

/**
 * A single continuous token bucket in one word: the moment it is full again, in units of 1/R µs
 * since the store's origin, above the lock bit.
 */
final class PackedBucket extends Bucket {
  private static final long FULL_SINCE_EVER = Long.MIN_VALUE / 4;

  /**
   * Decides an acquisition of this bucket alone, and takes by one compare-and-set; a denial writes
   * nothing, save to repair a clock that stepped back; larger limits that share the bucket may owe
   * more than these hold.
   *
   * @return false if the bucket is not open; then nothing was done
   */
  boolean acquire(Acquisition acquisition, MicrosClock clock, long origin, Outcome outcome) {
    BucketLimits limits = acquisition.key(0).limits();
    ContinuousBucket band = band(limits);
    boolean shared = limits.carriesOver();
    long perMicro = band.unitsPerMicro();
    long horizon = band.capacity() * band.unitsPerToken();
    long cost = acquisition.cost(0);
    long price = cost <= band.capacity() ? cost * band.unitsPerToken() : horizon + 1;
    int spins = 0;
    while (true) {
      long current = word();
      if ((current & LOCKED) != 0) {
        if (!isOpen(current)) {
          return false;
        }
        pause(spins++);
        continue;
      }
      long nowMicros = clock.nowMicros();
      long now = (nowMicros - origin) * perMicro;
      long owed = Math.max(0, (current >> 1) - now);
      long debt = shared ? owed : Math.min(owed, horizon);
      boolean passes = debt + price <= horizon;
      if (!acquisition.dryRun() && (passes || owed > debt)) {
        long next = now + debt + (passes ? price : 0);
        if (!compareAndSet(current, next << 1)) {
          continue;
        }
      }
      outcome.reset(1);
      write(debt, perMicro, outcome.views(), 0);
      if (passes) {
        outcome.pass(0);
      }
      outcome.decide(passes || acquisition.shadow(0), nowMicros);
      return true;
    }
  }

  private static void write(long debt, long perMicro, long[] view, int v) {
    view[v] = perMicro == 1 ? debt : debt / perMicro;
    view[v + 1] = perMicro == 1 ? 0 : debt % perMicro;
    view[v + 2] = 0;
  }

  private static ContinuousBucket band(BucketLimits limits) {
    ContinuousBucket band = limits.packedOrNull();
    if (band == null) {
      throw new IllegalArgumentException(limits + " do not fit one word");
    }
    return band;
  }

  /** Returns how many units of 1/R µs are owed; negative if full for longer. */
  private long owed(ContinuousBucket band, long now, long origin) {
    return (word() >> 1) - (now - origin) * band.unitsPerMicro();
  }

  @Override
  long full(BucketLimits limits) {
    return FULL_SINCE_EVER << 1;
  }

  @Override
  long after(BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    ContinuousBucket band = band(limits);
    long fullAt =
        (now - origin + view[v]) * band.unitsPerMicro() + view[v + 1] + cost * band.unitsPerToken();
    return fullAt << 1;
  }

  @Override
  boolean view(BucketLimits limits, long now, long origin, long[] view, int v) {
    ContinuousBucket band = band(limits);
    long owed = Math.max(0, owed(band, now, origin));
    // Above the horizon: from a clock that stepped back, unless larger limits share the bucket.
    long horizon = limits.carriesOver() ? Long.MAX_VALUE : band.capacity() * band.unitsPerToken();
    write(Math.min(owed, horizon), band.unitsPerMicro(), view, v);
    return owed > horizon;
  }

  @Override
  long microsToFull(BucketLimits limits, long now, long origin) {
    ContinuousBucket band = band(limits);
    long horizon = band.capacity() * band.unitsPerToken();
    long owed = Math.min(Math.max(0, owed(band, now, origin)), horizon);
    return -Math.floorDiv(-owed, band.unitsPerMicro());
  }

  @Override
  long minMicrosToFull(BucketLimits limits, long now, long origin) {
    return microsToFull(limits, now, origin);
  }
}
