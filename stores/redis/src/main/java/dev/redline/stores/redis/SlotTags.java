package dev.redline.stores.redis;

import java.nio.charset.StandardCharsets;

/**
 * The <a
 * href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags">hash
 * tags</a> of bucket keys, one for each lane. Each lies in its own equal share of a cluster's
 * slots, so that they spread evenly over any number of masters.
 */
final class SlotTags {
  /** How many tags there are; stored in Redis, since another number is another layout. */
  static final int COUNT = 64;

  private static final int SLOTS = 16_384;
  private static final String[] TAGS = new String[COUNT];
  private static final int[] TAG_SLOTS = new int[COUNT];

  static {
    int missing = COUNT;
    for (int n = 0; missing > 0; n++) {
      String tag = Integer.toString(n, 36);
      int slot = slot(tag.getBytes(StandardCharsets.US_ASCII));
      int share = slot / (SLOTS / COUNT);
      if (TAGS[share] == null) {
        TAGS[share] = tag;
        TAG_SLOTS[share] = slot;
        missing--;
      }
    }
  }

  private SlotTags() {}

  static String tag(int lane) {
    return TAGS[lane];
  }

  /** Returns the cluster slot of a lane. */
  static int slot(int lane) {
    return TAG_SLOTS[lane];
  }

  /** Returns the lane of an identity, by its FNV-1a hash: the same in every process. */
  static int laneOf(byte[] identity) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : identity) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
    }
    hash ^= hash >>> 32;
    return (int) ((hash ^ hash >>> 16) & COUNT - 1);
  }

  /** Returns the cluster slot of a hash tag: CRC16 (XMODEM) modulo the number of slots. */
  static int slot(byte[] tag) {
    int crc = 0;
    for (byte b : tag) {
      crc ^= (b & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
      }
      crc &= 0xFFFF;
    }
    return crc % SLOTS;
  }
}
