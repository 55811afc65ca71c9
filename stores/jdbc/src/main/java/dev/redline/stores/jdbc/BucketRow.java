package dev.redline.stores.jdbc;

import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The row of one bucket while a transaction has locked it.
 *
 * <p>Its key is {@code b:<layout>:<owner id>:r<fingerprint>:<identity>} ({@code p} for a plan).
 * Everything before the identity has a fixed format, so no identity can imitate another key. An
 * identity that is long or not printable ASCII is replaced by {@code #} and its digest, so that a
 * key fits every index and encoding.
 */
final class BucketRow {
  /** The version of keys and states; each version has its own buckets. */
  private static final String LAYOUT = "1";

  /** The first byte of a state. */
  private static final byte STATE_VERSION = 1;

  private static final int MAX_IDENTITY = 256;

  private final String key;
  private final long generation;
  private final long @Nullable [] words;
  private final boolean malformed;

  private BucketRow(String key, long generation, long @Nullable [] words, boolean malformed) {
    this.key = key;
    this.generation = generation;
    this.words = words;
    this.malformed = malformed;
  }

  static String key(RateLimitKey key) {
    return "b:"
        + LAYOUT
        + ":"
        + key.limits().ownerId()
        + (key.limits().ownerKind() == OwnerKind.RULE ? ":r" : ":p")
        + key.limits().fingerprint()
        + (isPlain(key.identity())
            ? ":" + key.identity()
            : "#" + IdentityDigest.of(key.identity()));
  }

  private static boolean isPlain(String identity) {
    if (identity.length() > MAX_IDENTITY) {
      return false;
    }
    for (int i = 0; i < identity.length(); i++) {
      if (identity.charAt(i) < ' ' || identity.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /** Reads a row; an empty state is that of a full bucket. */
  static BucketRow read(String key, long generation, byte[] state) {
    if (state.length == 0) {
      return new BucketRow(key, generation, null, false);
    }
    if (state[0] != STATE_VERSION || state.length % Long.BYTES != 1) {
      return new BucketRow(key, generation, null, true);
    }
    long[] words = new long[state.length / Long.BYTES];
    ByteBuffer.wrap(state, 1, state.length - 1).asLongBuffer().get(words);
    return new BucketRow(key, generation, words, false);
  }

  /** Returns the row after a decision. */
  BucketRow with(long newGeneration, long[] newWords) {
    return new BucketRow(key, newGeneration, newWords, false);
  }

  String key() {
    return key;
  }

  long generation() {
    return generation;
  }

  /**
   * Returns the state under a generation; null if it is that of a full bucket.
   *
   * @throws StoreException of kind {@code BAD_STATE} if the value is malformed
   */
  long @Nullable [] words(long knownGeneration) {
    if (malformed) {
      throw new StoreException(
          StoreException.Kind.BAD_STATE,
          "the state of a bucket in PostgreSQL is malformed: " + owner());
    }
    return generation < knownGeneration ? null : words;
  }

  /** Returns the key without the identity, which stays out of logs. */
  private String owner() {
    String[] parts = key.split(":", 4);
    return parts.length < 3 ? "" : parts[2];
  }

  byte[] state() {
    long[] present = words == null ? new long[0] : words;
    ByteBuffer bytes = ByteBuffer.allocate(1 + present.length * Long.BYTES).put(STATE_VERSION);
    bytes.asLongBuffer().put(present);
    return bytes.array();
  }
}
