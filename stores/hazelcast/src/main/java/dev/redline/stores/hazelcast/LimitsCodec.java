package dev.redline.stores.hazelcast;

import dev.redline.core.internal.limit.BandKind;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits as bytes: owner, whether buckets carry over, and the numbers of each band. Labels are not
 * sent, because buckets do not depend on them. Both directions are cached, since a process has few
 * limits and many acquisitions.
 */
final class LimitsCodec {
  private static final int MAX_ENTRIES = 4096;
  private static final int BAND_BYTES = 25;

  private static final Map<BucketLimits, byte[]> ENCODED = new ConcurrentHashMap<>();
  private static final Map<ByteBuffer, BucketLimits> DECODED = new ConcurrentHashMap<>();

  private LimitsCodec() {}

  static byte[] encode(BucketLimits limits) {
    byte[] known = ENCODED.get(limits);
    if (known != null) {
      return known;
    }
    byte[] owner = limits.ownerId().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(4 + owner.length + BAND_BYTES * limits.size());
    out.put((byte) (limits.ownerKind() == OwnerKind.RULE ? 'r' : 'p'));
    out.put((byte) (limits.carriesOver() ? 1 : 0));
    out.putShort((short) owner.length);
    out.put(owner);
    for (int i = 0; i < limits.size(); i++) {
      RateLimitBand band = limits.band(i).band();
      out.put((byte) BandKind.of(band).wireNumber());
      out.putLong(band.capacity());
      out.putLong(band.refillTokens());
      out.putLong(band.periodMicros());
    }
    keep(ENCODED, limits, out.array());
    return out.array();
  }

  static BucketLimits decode(byte[] bytes) {
    BucketLimits known = DECODED.get(ByteBuffer.wrap(bytes));
    if (known != null) {
      return known;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    OwnerKind kind = in.get() == 'r' ? OwnerKind.RULE : OwnerKind.PLAN;
    boolean carriesOver = in.get() == 1;
    byte[] owner = new byte[in.getShort()];
    in.get(owner);
    String id = new String(owner, StandardCharsets.UTF_8);
    List<RateLimitBand> bands = new ArrayList<>();
    while (in.hasRemaining()) {
      bands.add(band(in.get(), in.getLong(), in.getLong(), in.getLong()));
    }
    BucketLimits limits =
        carriesOver ? BucketLimits.carriedOver(kind, id, bands) : new BucketLimits(kind, id, bands);
    keep(DECODED, ByteBuffer.wrap(bytes), limits);
    return limits;
  }

  private static RateLimitBand band(byte kind, long capacity, long refillTokens, long micros) {
    Duration period = Duration.of(micros, ChronoUnit.MICROS);
    for (BandKind known : BandKind.values()) {
      if (known.wireNumber() == kind) {
        return switch (known) {
          case CONTINUOUS_BUCKET -> RateLimitBand.of(capacity, refillTokens, period);
          case INTERVAL_BUCKET ->
              RateLimitBand.builder()
                  .capacity(capacity)
                  .refillTokens(refillTokens)
                  .period(period)
                  .refill(Refill.INTERVAL)
                  .build();
          case SLIDING_WINDOW -> RateLimitBand.slidingWindow(capacity, period);
          case FIXED_WINDOW -> RateLimitBand.fixedWindow(capacity, period);
        };
      }
    }
    throw new IllegalArgumentException("unknown kind of band: " + kind);
  }

  private static <K, V> void keep(Map<K, V> cache, K key, V value) {
    if (cache.size() >= MAX_ENTRIES) {
      cache.clear();
    }
    cache.put(key, value);
  }
}
