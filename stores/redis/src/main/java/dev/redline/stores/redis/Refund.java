package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandParameters;
import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The arguments of the refund script: for each key to refund, the bucket before its cost was taken.
 */
final class Refund {
  private static final int HEAD_BYTES = 14;
  private static final int BAND_BYTES = 40;

  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> arguments = new ArrayList<>();

  /**
   * Collects the buckets that an acquisition took from.
   *
   * @param concerned which limits are refunded this way
   */
  Refund(PendingAcquisition ticket, Outcome outcome, Predicate<BucketLimits> concerned) {
    Acquisition acquisition = ticket.acquisition();
    BandCursor at = new BandCursor(acquisition);
    ByteBuffer argument = ByteBuffer.allocate(0);
    while (at.nextBand()) {
      int i = at.key();
      if (!outcome.passed(i) || !concerned.test(at.limits())) {
        continue;
      }
      if (at.bandOfKey() == 0) {
        keys.add(ticket.key(i).bytes());
        keys.add(ticket.key(i).refunds());
        argument = ByteBuffer.allocate(HEAD_BYTES + BAND_BYTES * at.limits().size());
        arguments.add(argument.array());
        ScriptParameters.put(argument, ticket.generation(i), 7);
        ScriptParameters.put(argument, outcome.nowMicros(), 7);
      }
      put(argument, at.band().parameters(at.cost()), outcome, at.view());
    }
  }

  private static void put(ByteBuffer out, BandParameters band, Outcome outcome, int v) {
    long now = outcome.nowMicros();
    long[] views = outcome.views();
    out.put((byte) band.kind().wireNumber());
    switch (band.kind()) {
      case CONTINUOUS_BUCKET, INTERVAL_BUCKET -> {
        ScriptParameters.put(out, band.unit(), 7);
        ScriptParameters.put(out, band.period(), 6);
        ScriptParameters.put(out, now - views[v + 2] + views[v], 7);
        ScriptParameters.put(out, views[v + 1], 6);
        ScriptParameters.put(out, band.price(), 7);
        ScriptParameters.put(out, band.priceSub(), 6);
      }
      case SLIDING_WINDOW, FIXED_WINDOW -> {
        ScriptParameters.put(out, band.limitSub(), 7);
        ScriptParameters.put(out, 0, 6);
        ScriptParameters.put(out, now / band.limitSub(), 7);
        ScriptParameters.put(out, 0, 6);
        ScriptParameters.put(out, band.price(), 7);
        ScriptParameters.put(out, 0, 6);
      }
    }
  }

  List<byte[]> keys() {
    return keys;
  }

  List<byte[]> arguments() {
    return arguments;
  }
}
