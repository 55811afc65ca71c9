package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.internal.limit.BandParameters;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What the refund script is told: for each key that was taken from, the bucket before the take. */
final class Refund {
  private static final int WINDOWS = 3;

  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> arguments = new ArrayList<>();

  Refund(PendingAcquisition ticket, Outcome outcome) {
    Acquisition acquisition = ticket.acquisition();
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      if (outcome.passed(i)) {
        keys.add(ticket.key(i).bytes());
        keys.add(ticket.key(i).givenBack());
        arguments.add(argument(limits, acquisition.cost(i), outcome, v, ticket.generation(i)));
      }
      v += limits.size() * BandArithmetic.VIEW_WORDS;
    }
  }

  private static byte[] argument(
      BucketLimits limits, long cost, Outcome outcome, int from, long generation) {
    ByteBuffer out = ByteBuffer.allocate(14 + 40 * limits.size());
    ScriptParameters.put(out, generation, 7);
    long now = outcome.nowMicros();
    ScriptParameters.put(out, now, 7);
    long[] views = outcome.views();
    for (int b = 0; b < limits.size(); b++) {
      BandParameters band = limits.band(b).parameters(cost);
      int v = from + b * BandArithmetic.VIEW_WORDS;
      boolean window = band.kind() >= WINDOWS;
      out.put((byte) band.kind());
      ScriptParameters.put(out, window ? band.limitSub() : band.unit(), 7);
      ScriptParameters.put(out, window ? 0 : band.period(), 6);
      ScriptParameters.put(out, window ? now / band.limitSub() : now - views[v + 2] + views[v], 7);
      ScriptParameters.put(out, window ? 0 : views[v + 1], 6);
      ScriptParameters.put(out, band.price(), 7);
      ScriptParameters.put(out, window ? 0 : band.priceSub(), 6);
    }
    return out.array();
  }

  List<byte[]> keys() {
    return keys;
  }

  List<byte[]> arguments() {
    return arguments;
  }
}
