package dev.redline.stores.redis;

import java.nio.charset.StandardCharsets;

/**
 * The <a
 * href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags">hash
 * tags</a> of bucket keys, one for each lane. Each lies in its own equal share of a cluster's
 * slots, so that they spread evenly over any number of masters.
 *
 * <p>How many there are is part of the layout: the store that first uses a prefix chooses the
 * number by the masters it finds and writes it to Redis, and every other store uses that number.
 * Few tags make large batches, but there must be several for each master.
 */
final class SlotTags {
  static final int MAX_COUNT = 4096;

  /** The number outside of a cluster, where tags matter only if it becomes a cluster later. */
  static final int COUNT_WITHOUT_CLUSTER = 16;

  private static final int SLOTS = 16_384;

  private final String[] tags;
  private final int[] slots;

  /**
   * Creates the tags.
   *
   * @throws IllegalArgumentException if the number is not a power of two up to {@value #MAX_COUNT}
   */
  SlotTags(int count) {
    if (!isValid(count)) {
      throw new IllegalArgumentException(
          "the number of tags must be a power of two up to " + MAX_COUNT + ", was " + count);
    }
    this.tags = new String[count];
    this.slots = new int[count];
    int missing = count;
    for (int n = 0; missing > 0; n++) {
      String tag = Integer.toString(n, 36);
      int slot = slot(tag.getBytes(StandardCharsets.US_ASCII));
      int share = slot / (SLOTS / count);
      if (tags[share] == null) {
        tags[share] = tag;
        slots[share] = slot;
        missing--;
      }
    }
  }

  static boolean isValid(int count) {
    return count >= 1 && count <= MAX_COUNT && Integer.bitCount(count) == 1;
  }

  /** Returns the number for a new layout: a power of two, two to four times the masters. */
  static int countFor(int masters) {
    int twice = Math.max(2, 2 * masters);
    return Math.min(MAX_COUNT, Integer.highestOneBit(twice - 1) << 1);
  }

  int count() {
    return tags.length;
  }

  String tag(int lane) {
    return tags[lane];
  }

  /** Returns the cluster slot of a lane. */
  int slot(int lane) {
    return slots[lane];
  }

  /** Returns the lane of an identity, by its FNV-1a hash: the same in every process. */
  int laneOf(byte[] identity) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : identity) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
    }
    hash ^= hash >>> 32;
    return (int) ((hash ^ hash >>> 16) & tags.length - 1);
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
