package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandKind;
import dev.redline.core.internal.limit.BandParameters;
import dev.redline.core.limit.BucketLimits;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The parameters of a script for a bucket and a cost, in binary form. */
final class ScriptParameters {
  private static final int GENERATION_BYTES = 7;
  private static final int BAND_BYTES = 40;

  /** One more byte marks limits whose buckets other limits may share. */
  private static final int SHARED_BYTES = 1;

  /** Numbers below it stay exact in the script when multiplied by the largest count. */
  private static final long SHORT = 1L << 44;

  private final BucketLimits limits;
  private final long cost;
  private final long generation;
  private final boolean simple;
  private final byte[] bytes;

  private ScriptParameters(BucketLimits limits, long cost, long generation) {
    this.limits = limits;
    this.cost = cost;
    this.generation = generation;
    boolean shared = limits.carriesOver();
    ByteBuffer out =
        ByteBuffer.allocate(
            GENERATION_BYTES + BAND_BYTES * limits.size() + (shared ? SHARED_BYTES : 0));
    put(out, generation, 7);
    boolean allSimple = !shared;
    for (int b = 0; b < limits.size(); b++) {
      BandParameters band = limits.band(b).parameters(cost);
      out.put((byte) band.kind().wireNumber());
      put(out, band.limit(), 7);
      put(out, band.limitSub(), 6);
      put(out, band.unit(), 7);
      put(out, band.period(), 6);
      put(out, band.price(), 7);
      put(out, band.priceSub(), 6);
      allSimple &=
          band.kind() == BandKind.CONTINUOUS_BUCKET && band.unit() < SHORT && band.price() < SHORT;
    }
    this.simple = allSimple;
    this.bytes = out.array();
  }

  boolean is(BucketLimits otherLimits, long otherCost) {
    return cost == otherCost && limits.equals(otherLimits);
  }

  /**
   * Returns whether all bands refill continuously, by numbers that the script may multiply, and no
   * other limits share the bucket.
   */
  boolean simple() {
    return simple;
  }

  /** Returns how many bands the limits have. */
  int bands() {
    return limits.size();
  }

  long generation() {
    return generation;
  }

  byte[] bytes() {
    return bytes;
  }

  static void put(ByteBuffer out, long value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.put((byte) (value >>> shift));
    }
  }

  /** A cache of the parameters for cost 1, which nearly all acquisitions have. */
  static final class Cache {
    private static final int MAX_ENTRIES = 4096;

    private final Map<BucketLimits, ScriptParameters> ofCostOne = new ConcurrentHashMap<>();
    private final Generations generations;

    Cache(Generations generations) {
      this.generations = generations;
    }

    /** Returns the parameters for the generation that is known now. */
    ScriptParameters of(BucketLimits limits, long cost) {
      long generation = generations.of(limits);
      if (cost != 1) {
        return new ScriptParameters(limits, cost, generation);
      }
      ScriptParameters known = ofCostOne.get(limits);
      if (known != null && known.generation == generation) {
        return known;
      }
      if (ofCostOne.size() >= MAX_ENTRIES) {
        ofCostOne.clear();
      }
      ScriptParameters made = new ScriptParameters(limits, 1, generation);
      ofCostOne.put(limits, made);
      return made;
    }
  }
}
