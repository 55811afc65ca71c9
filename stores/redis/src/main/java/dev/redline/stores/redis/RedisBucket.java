package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The state of a bucket as it is stored in Redis, for inspection. How many tokens it has depends on
 * the limits, which are not stored; see {@link #isOf} and {@link #key}.
 *
 * @param ownerKind whether a rule or a plan owns it
 * @param ownerId the id of the rule or plan
 * @param fingerprint the fingerprint of the limits
 * @param identity the caller, in the form used in keys
 * @param generation the time of the last reset in microseconds since the epoch; 0 if never reset
 * @param expiresIn how long Redis keeps the key
 * @param bands the state of each band
 */
public record RedisBucket(
    OwnerKind ownerKind,
    String ownerId,
    String fingerprint,
    String identity,
    long generation,
    Duration expiresIn,
    List<Band> bands) {
  private static final Pattern KEY =
      Pattern.compile(".*?:b:([0-9]+):\\{[^}]*}:([^:]+):([rp])([^:]+):(.*)", Pattern.DOTALL);
  private static final int HEAD_BYTES = 7;
  private static final int BAND_BYTES = 20;
  private static final int HORIZON_BYTES = 13;

  /** No window is shorter than a millisecond, so window numbers are below it and moments above. */
  private static final long EARLIEST_MOMENT = 1_000_000_000_000_000L;

  /** The state of one band. */
  public sealed interface Band {
    /** Returns the state for people. */
    String describe();
  }

  /** A token bucket: when it will be full again. */
  public record Tokens(Instant fullAt) implements Band {
    @Override
    public String describe() {
      return "tokens, full at " + fullAt;
    }
  }

  /** A window: its number since the epoch, its count, and the count of the previous window. */
  public record Window(long index, long count, long previous) implements Band {
    @Override
    public String describe() {
      return "window " + index + ", counted " + count + ", before it " + previous;
    }
  }

  /** Copies the bands. */
  public RedisBucket {
    bands = List.copyOf(bands);
  }

  /** Returns whether a key is that of a bucket in a known layout. */
  static boolean isKey(String key) {
    Matcher parts = KEY.matcher(key);
    return parts.matches()
        && (parts.group(1).equals(BucketKey.LAYOUT)
            || parts.group(1).equals(BucketKey.LAYOUT_WITH_HORIZONS));
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if the value is malformed
   */
  static RedisBucket read(String key, byte[] value, Duration expiresIn) {
    Matcher parts = KEY.matcher(key);
    boolean known = parts.matches();
    int horizonBytes =
        known && parts.group(1).equals(BucketKey.LAYOUT_WITH_HORIZONS) ? HORIZON_BYTES : 0;
    if (!known
        || value.length <= HEAD_BYTES
        || (value.length - HEAD_BYTES) % (BAND_BYTES + horizonBytes) != 0) {
      throw new IllegalArgumentException("the value of '" + key + "' is malformed");
    }
    ByteBuffer in = ByteBuffer.wrap(value);
    long generation = number(in, HEAD_BYTES);
    List<Band> bands = new ArrayList<>();
    while (in.hasRemaining()) {
      bands.add(band(number(in, 7), number(in, 6), number(in, 7)));
      in.position(in.position() + horizonBytes);
    }
    return new RedisBucket(
        parts.group(3).equals("r") ? OwnerKind.RULE : OwnerKind.PLAN,
        parts.group(2),
        parts.group(4),
        parts.group(5),
        generation,
        expiresIn,
        bands);
  }

  /** Reads one band; the value does not hold its kind, but the first number tells it. */
  private static Band band(long first, long second, long third) {
    return first >= EARLIEST_MOMENT
        ? new Tokens(Instant.EPOCH.plus(first, ChronoUnit.MICROS))
        : new Window(first, second, third);
  }

  private static long number(ByteBuffer in, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << 8) | (in.get() & 0xFF);
    }
    return value;
  }

  /** Returns whether the bucket belongs to these limits. */
  public boolean isOf(BucketLimits limits) {
    return limits.ownerKind() == ownerKind
        && limits.ownerId().equals(ownerId)
        && limits.fingerprint().equals(fingerprint);
  }

  /** Returns the key of the bucket in a store, given its limits. */
  public RateLimitKey key(BucketLimits limits) {
    return new RateLimitKey(limits, identity);
  }
}
