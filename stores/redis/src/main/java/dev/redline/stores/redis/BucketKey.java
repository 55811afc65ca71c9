package dev.redline.stores.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.key.IdentityDigest;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;

/**
 * The Redis key of a bucket: {@code <prefix>:b:<layout>:{tag}:<owner id>:<fingerprint>:<identity>}.
 *
 * <p>Everything before the identity has a fixed form, so no identity can forge another key; an
 * identity that has no UTF-8 form is replaced by its digest.
 */
final class BucketKey {
  /** The version of key and value layout; another layout is another bucket. */
  static final String LAYOUT = "1";

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

  /** Returns the key beside it, with {@code g} for {@code b}, of what was given back lately. */
  byte[] givenBack() {
    byte[] beside = bytes.clone();
    beside[kindAt] = 'g';
    return beside;
  }

  static BucketKey of(String prefix, RateLimitKey key) {
    return of(prefix, LAYOUT, key);
  }

  static BucketKey of(String prefix, String layout, RateLimitKey key) {
    byte[] identity = bytes(key.identity());
    int lane = SlotTags.laneOf(identity);
    BucketLimits limits = key.limits();
    String head =
        prefix
            + ":b:"
            + layout
            + ":{"
            + SlotTags.tag(lane)
            + "}:"
            + limits.ownerId()
            + (limits.ownerKind() == OwnerKind.RULE ? ":r" : ":p")
            + limits.fingerprint()
            + ":";
    byte[] start = head.getBytes(UTF_8);
    byte[] all = new byte[start.length + identity.length];
    System.arraycopy(start, 0, all, 0, start.length);
    System.arraycopy(identity, 0, all, start.length, identity.length);
    return new BucketKey(lane, all, prefix.getBytes(UTF_8).length + 1);
  }

  private static byte[] bytes(String identity) {
    boolean encodable = isAscii(identity) || UTF_8.newEncoder().canEncode(identity);
    return (encodable ? identity : IdentityDigest.of(identity)).getBytes(UTF_8);
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
