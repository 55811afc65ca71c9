package dev.redline.stores.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The Redis key of a bucket: {@code <prefix>:b:<layout>:{tag}:<owner id>:<fingerprint>:<identity>}.
 *
 * <p>Everything before the identity has a fixed format, so no identity can imitate another key. An
 * identity that cannot be encoded in UTF-8 is replaced by its digest.
 */
final class BucketKey {
  /** The version of the key and value layout; each version has its own buckets. */
  static final String LAYOUT = "1";

  /** The layout of buckets that outlive a change of limits: the value also has the horizons. */
  static final String LAYOUT_WITH_HORIZONS = "2";

  private final int lane;
  private final byte[] bytes;
  private final int kindAt;

  private BucketKey(int lane, byte[] bytes, int kindAt) {
    this.lane = lane;
    this.bytes = bytes;
    this.kindAt = kindAt;
  }

  /** Returns the lane of the key's tag. */
  int lane() {
    return lane;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Returns the key of recent refunds to the bucket: {@code m} instead of {@code b}. */
  byte[] refunds() {
    byte[] beside = bytes.clone();
    beside[kindAt] = 'm';
    return beside;
  }

  /** Creates keys with one prefix and layout; caches the part before the identity. */
  static final class Maker {
    private static final int MAX_ENTRIES = 4096;

    private final Map<BucketLimits, byte[][]> heads = new ConcurrentHashMap<>();
    private final String prefix;
    private final String layout;
    private final SlotTags tags;
    private final int kindAt;

    Maker(String prefix, String layout, SlotTags tags) {
      this.prefix = prefix;
      this.kindAt = prefix.getBytes(UTF_8).length + 1;
      this.layout = layout;
      this.tags = tags;
    }

    SlotTags tags() {
      return tags;
    }

    /** Returns the lane of a key without creating the Redis key. */
    int lane(RateLimitKey key) {
      return tags.laneOf(identity(key.identity()));
    }

    BucketKey of(RateLimitKey key) {
      byte[] identity = identity(key.identity());
      int lane = tags.laneOf(identity);
      byte[] head = head(key.limits(), lane);
      byte[] all = new byte[head.length + identity.length];
      System.arraycopy(head, 0, all, 0, head.length);
      System.arraycopy(identity, 0, all, head.length, identity.length);
      return new BucketKey(lane, all, kindAt);
    }

    private byte[] head(BucketLimits limits, int lane) {
      byte[][] ofLanes = heads.get(limits);
      if (ofLanes == null) {
        if (heads.size() >= MAX_ENTRIES) {
          heads.clear();
        }
        ofLanes = new byte[tags.count()][];
        for (int i = 0; i < ofLanes.length; i++) {
          ofLanes[i] = makeHead(limits, i);
        }
        heads.put(limits, ofLanes);
      }
      return ofLanes[lane];
    }

    private byte[] makeHead(BucketLimits limits, int lane) {
      String head =
          prefix
              + ":b:"
              + (limits.carriesOver() ? LAYOUT_WITH_HORIZONS : layout)
              + ":{"
              + tags.tag(lane)
              + "}:"
              + limits.ownerId()
              + (limits.ownerKind() == OwnerKind.RULE ? ":r" : ":p")
              + limits.fingerprint()
              + ":";
      return head.getBytes(UTF_8);
    }

    private static byte[] identity(String identity) {
      byte[] bytes = identity.getBytes(UTF_8);
      // As many bytes as characters: all ASCII, or an unpaired surrogate was encoded as '?'.
      boolean certain = bytes.length == identity.length() && isAscii(identity);
      return certain || UTF_8.newEncoder().canEncode(identity)
          ? bytes
          : IdentityDigest.of(identity).getBytes(UTF_8);
    }

    private static boolean isAscii(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) > 127) {
          return false;
        }
      }
      return true;
    }
  }
}
