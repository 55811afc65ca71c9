package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandParameters;
import dev.redline.core.limit.BucketLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of {@code refund-last.lua}: buckets that are refunded only if nothing was acquired
 * from them since. All of one call are in one slot.
 */
final class LastRefund {
  private static final int HEAD_BYTES = 7;
  private static final int BAND_BYTES = 40;

  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> arguments = new ArrayList<>();

  /**
   * Adds a bucket.
   *
   * @param after the state of the bucket just after the tokens were acquired
   * @param tokens how many to refund
   */
  void add(BucketKey key, BucketLimits limits, long generation, long[] after, long tokens) {
    ByteBuffer argument = ByteBuffer.allocate(HEAD_BYTES + BAND_BYTES * limits.size());
    ScriptParameters.put(argument, generation, 7);
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      BandParameters band = limits.band(b).parameters(tokens);
      argument.put((byte) band.kind().wireNumber());
      switch (band.kind()) {
        case CONTINUOUS_BUCKET, INTERVAL_BUCKET -> {
          ScriptParameters.put(argument, band.unit(), 7);
          ScriptParameters.put(argument, 0, 6);
          ScriptParameters.put(argument, after[s], 7);
          ScriptParameters.put(argument, after[s + 1], 6);
          ScriptParameters.put(argument, band.price(), 7);
          ScriptParameters.put(argument, band.priceSub(), 6);
        }
        case SLIDING_WINDOW, FIXED_WINDOW -> {
          ScriptParameters.put(argument, band.limitSub(), 7);
          ScriptParameters.put(argument, 0, 6);
          ScriptParameters.put(argument, after[s], 7);
          ScriptParameters.put(argument, 0, 6);
          ScriptParameters.put(argument, band.price(), 7);
          ScriptParameters.put(argument, 0, 6);
        }
      }
      s += limits.band(b).stateWords();
    }
    keys.add(key.bytes());
    arguments.add(argument.array());
  }

  int size() {
    return keys.size();
  }

  List<byte[]> keys() {
    return keys;
  }

  List<byte[]> arguments() {
    return arguments;
  }
}
