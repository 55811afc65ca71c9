package dev.redline.stores.redis;

import dev.redline.core.limit.BandParameters;
import dev.redline.core.limit.BucketLimits;
import java.nio.ByteBuffer;

/** What the script must know of a bucket to take one cost from it, in the script's binary form. */
final class Shape {
  private static final int GENERATION_BYTES = 7;
  private static final int BAND_BYTES = 40;

  private Shape() {}

  static byte[] encode(BucketLimits limits, long cost, long generation) {
    ByteBuffer out = ByteBuffer.allocate(GENERATION_BYTES + BAND_BYTES * limits.size());
    put(out, generation, 7);
    for (int b = 0; b < limits.size(); b++) {
      BandParameters band = limits.band(b).parameters(cost);
      out.put((byte) band.kind());
      put(out, band.limit(), 7);
      put(out, band.limitSub(), 6);
      put(out, band.unit(), 7);
      put(out, band.period(), 6);
      put(out, band.price(), 7);
      put(out, band.priceSub(), 6);
    }
    return out.array();
  }

  static void put(ByteBuffer out, long value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.put((byte) (value >>> shift));
    }
  }
}
