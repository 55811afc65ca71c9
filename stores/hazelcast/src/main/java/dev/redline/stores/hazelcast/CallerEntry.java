package dev.redline.stores.hazelcast;

import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.StoreException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one caller: all its buckets, as one value of the map, so that one entry processor
 * decides them together.
 *
 * <p>The value has a version and the time of the last write, then for each bucket its name ({@code
 * <owner id>:r<fingerprint>}, {@code p} for a plan), its generation, when it will be full, when it
 * was last refunded, and its state. A bucket that is full is dropped at the next write.
 */
final class CallerEntry {
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 9;
  private static final int BUCKET_BYTES = 30;

  /** Longer than the time from an acquisition to its refund. */
  private static final long REFUND_MICROS = 10_000_000;

  /** One bucket of the entry; times in microseconds since the epoch. */
  static final class StoredBucket {
    private final byte[] name;
    private final long generation;
    private final long fullMicros;
    private final long refundedMicros;
    private final long[] words;

    StoredBucket(byte[] name, long generation, long fullMicros, long refundedMicros, long[] words) {
      this.name = name;
      this.generation = generation;
      this.fullMicros = fullMicros;
      this.refundedMicros = refundedMicros;
      this.words = words;
    }

    byte[] name() {
      return name;
    }

    long generation() {
      return generation;
    }

    long fullMicros() {
      return fullMicros;
    }

    long refundedMicros() {
      return refundedMicros;
    }

    /** Returns the state; not a copy. */
    long[] words() {
      return words;
    }

    /** Returns how long it is kept: until it is full, and no refund can follow another one. */
    long neededMicros() {
      return Math.max(fullMicros, refundedMicros == 0 ? 0 : refundedMicros + REFUND_MICROS);
    }
  }

  private final Map<String, StoredBucket> buckets = new LinkedHashMap<>();
  private final long writtenMicros;

  private CallerEntry(long writtenMicros) {
    this.writtenMicros = writtenMicros;
  }

  /** Returns the key of a caller's entry: a string that has a UTF-8 form. */
  static String key(String identity) {
    for (int i = 0; i < identity.length(); i++) {
      if (Character.isSurrogate(identity.charAt(i))) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(identity)
            ? ":" + identity
            : "#" + IdentityDigest.of(identity);
      }
    }
    return ":" + identity;
  }

  static String name(BucketLimits limits) {
    return limits.ownerId()
        + (limits.ownerKind() == OwnerKind.RULE ? ":r" : ":p")
        + limits.fingerprint();
  }

  /**
   * Reads a value; null is the entry of a caller whose buckets are all full.
   *
   * @throws StoreException of kind {@code BAD_STATE} if it is malformed
   */
  static CallerEntry read(byte @Nullable [] value) {
    if (value == null) {
      return new CallerEntry(0);
    }
    try {
      ByteBuffer in = ByteBuffer.wrap(value);
      if (in.get() != VERSION) {
        throw malformed();
      }
      CallerEntry entry = new CallerEntry(in.getLong());
      while (in.hasRemaining()) {
        byte[] name = new byte[in.getShort() & 0xFFFF];
        in.get(name);
        long generation = in.getLong();
        long full = in.getLong();
        long refunded = in.getLong();
        int size = in.getInt();
        if (size < 0 || size > in.remaining() / Long.BYTES) {
          throw malformed();
        }
        long[] words = new long[size];
        for (int i = 0; i < words.length; i++) {
          words[i] = in.getLong();
        }
        entry.buckets.put(
            new String(name, StandardCharsets.UTF_8),
            new StoredBucket(name, generation, full, refunded, words));
      }
      return entry;
    } catch (BufferUnderflowException e) {
      throw malformed();
    }
  }

  static StoreException malformed() {
    return new StoreException(
        StoreException.Kind.BAD_STATE, "the value of a caller's entry in Hazelcast is malformed");
  }

  /** Returns when the entry was last written; 0 if never. */
  long writtenMicros() {
    return writtenMicros;
  }

  @Nullable StoredBucket find(String name) {
    return buckets.get(name);
  }

  void put(String name, long generation, long fullMicros, long refundedMicros, long[] words) {
    buckets.put(
        name,
        new StoredBucket(
            name.getBytes(StandardCharsets.UTF_8), generation, fullMicros, refundedMicros, words));
  }

  /** Returns the value to write, without buckets that are full; empty if all are. */
  byte[] write(long nowMicros) {
    buckets.values().removeIf(bucket -> bucket.neededMicros() <= nowMicros);
    if (buckets.isEmpty()) {
      return new byte[0];
    }
    int size = HEAD_BYTES;
    for (StoredBucket bucket : buckets.values()) {
      size += BUCKET_BYTES + bucket.name.length + bucket.words.length * Long.BYTES;
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putLong(nowMicros);
    for (StoredBucket bucket : buckets.values()) {
      out.putShort((short) bucket.name.length).put(bucket.name);
      out.putLong(bucket.generation).putLong(bucket.fullMicros).putLong(bucket.refundedMicros);
      out.putInt(bucket.words.length);
      for (long word : bucket.words) {
        out.putLong(word);
      }
    }
    return out.array();
  }

  /** Returns until when the entry is needed. */
  long neededMicros() {
    long last = 0;
    for (StoredBucket bucket : buckets.values()) {
      last = Math.max(last, bucket.neededMicros());
    }
    return last;
  }
}
