package dev.redline.core.memory;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.ContinuousBucket;

/**
 * A single continuous token bucket in one word: the moment it is full again, in units of 1/R µs
 * since the store's origin, above the lock bit.
 */
final class PackedBucket extends Bucket {
  /** The answers of {@link #tryTake}. */
  enum Take {
    TAKEN,
    REFUSED,
    CLOSED
  }

  private static final long FULL_SINCE_EVER = Long.MIN_VALUE / 4;

  /**
   * Takes by one compare-and-set, and writes the debt before it into the view; a refusal writes
   * nothing, save to repair a clock that stepped back.
   *
   * @param elapsed microseconds since the store's origin
   */
  Take tryTake(ContinuousBucket band, long elapsed, long cost, boolean dryRun, long[] view) {
    long perMicro = band.unitsPerMicro();
    long now = elapsed * perMicro;
    long horizon = band.capacity() * band.unitsPerToken();
    long price = cost <= band.capacity() ? cost * band.unitsPerToken() : horizon + 1;
    int spins = 0;
    while (true) {
      long current = word();
      if ((current & LOCKED) != 0) {
        if (current == CLOSED) {
          return Take.CLOSED;
        }
        pause(spins++);
        continue;
      }
      long owed = Math.max(0, (current >> 1) - now);
      long debt = Math.min(owed, horizon);
      boolean passes = debt + price <= horizon;
      if (!dryRun && (passes || owed > horizon)) {
        long next = now + debt + (passes ? price : 0);
        if (!compareAndSet(current, next << 1)) {
          continue;
        }
      }
      write(debt, perMicro, view, 0);
      return passes ? Take.TAKEN : Take.REFUSED;
    }
  }

  private static void write(long debt, long perMicro, long[] view, int v) {
    view[v] = perMicro == 1 ? debt : debt / perMicro;
    view[v + 1] = perMicro == 1 ? 0 : debt % perMicro;
    view[v + 2] = 0;
  }

  private static ContinuousBucket band(BucketLimits limits) {
    return (ContinuousBucket) limits.band(0);
  }

  @Override
  void open(BucketLimits limits) {
    word(FULL_SINCE_EVER << 1);
  }

  @Override
  void open(BucketLimits limits, long now, long origin, long[] view, int v) {
    word(after(limits, now, origin, view, v, 0) << 1);
  }

  @Override
  boolean view(BucketLimits limits, long now, long origin, long[] view, int v) {
    ContinuousBucket band = band(limits);
    long owed = Math.max(0, (word() >> 1) - (now - origin) * band.unitsPerMicro());
    long horizon = band.capacity() * band.unitsPerToken();
    write(Math.min(owed, horizon), band.unitsPerMicro(), view, v);
    return owed > horizon;
  }

  @Override
  void take(BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    word(after(limits, now, origin, view, v, cost) << 1 | LOCKED);
  }

  private static long after(
      BucketLimits limits, long now, long origin, long[] view, int v, long cost) {
    ContinuousBucket band = band(limits);
    return (now - origin + view[v]) * band.unitsPerMicro()
        + view[v + 1]
        + cost * band.unitsPerToken();
  }
}
