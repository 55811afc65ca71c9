package dev.redline.bench.scale;

import dev.redline.core.internal.limit.BucketArithmetic;
import dev.redline.core.limit.BucketLimits;
import java.util.Arrays;

/**
 * Checks what callers got against two exact buckets for each key, by the clock of Redis. It knows
 * nothing of leases, calls or nodes.
 *
 * <p>From the first bucket every allowed request is taken at its own time: one that it has no token
 * for is an over-admission. The second one decides by itself: the requests that it allows beyond
 * those that were allowed were denied early, because a node held the tokens, or lost them.
 *
 * <p>Decisions arrive late, by the way of the reply at most. They are sorted by time in slots of a
 * millisecond, and a slot is checked when no decision of its time can arrive any more.
 */
final class AllowanceCheck {
  private static final int KEY_BITS = 21;
  private static final int MAX_KEYS = 1 << KEY_BITS;
  private static final int SLOT_MICROS = 1000;
  private static final int SLOTS = 256;

  private final BucketArithmetic arithmetic;
  private final int words;
  private final long[] taken;
  private final long[] ideal;
  private final int[] missed;
  private final long[] views;
  private final long[][] slots = new long[SLOTS][64];
  private final int[] sizes = new int[SLOTS];
  private long nextSlot;
  private long over;
  private long denied;

  AllowanceCheck(BucketLimits limits, int keys, long startMicros) {
    if (keys > MAX_KEYS) {
      throw new IllegalArgumentException("at most " + MAX_KEYS + " keys, were " + keys);
    }
    this.arithmetic = limits.arithmetic();
    this.words = limits.stateWords();
    this.taken = new long[keys * words];
    this.ideal = new long[keys * words];
    this.missed = new int[keys];
    this.views = new long[arithmetic.viewWords()];
    this.nextSlot = startMicros / SLOT_MICROS;
    for (int k = 0; k < keys; k++) {
      arithmetic.fill(taken, k * words);
      arithmetic.fill(ideal, k * words);
    }
  }

  /** Adds a decision about one token. */
  void add(long micros, int key, boolean allowed) {
    long slot = micros / SLOT_MICROS;
    if (slot < nextSlot || slot >= nextSlot + SLOTS) {
      throw new IllegalStateException("a decision of " + micros + " µs is out of order");
    }
    int at = (int) (slot % SLOTS);
    if (sizes[at] == slots[at].length) {
      slots[at] = Arrays.copyOf(slots[at], 2 * sizes[at]);
    }
    // Sorted by time and key; what was allowed comes first, since a denial takes nothing.
    slots[at][sizes[at]++] = (micros << (KEY_BITS + 1)) | ((long) key << 1) | (allowed ? 0 : 1);
  }

  /** Checks all decisions before a time; earlier ones must not be added later. */
  void checkBefore(long micros) {
    for (; nextSlot < micros / SLOT_MICROS; nextSlot++) {
      int at = (int) (nextSlot % SLOTS);
      Arrays.sort(slots[at], 0, sizes[at]);
      for (int i = 0; i < sizes[at]; i++) {
        check(slots[at][i]);
      }
      sizes[at] = 0;
    }
  }

  private void check(long decision) {
    long micros = decision >>> (KEY_BITS + 1);
    int key = (int) ((decision >>> 1) & (MAX_KEYS - 1));
    boolean allowed = (decision & 1) == 0;
    int s = key * words;
    if (allowed) {
      arithmetic.view(taken, s, micros, views, 0);
      over += arithmetic.admits(views, 0, 1) ? 0 : 1;
      arithmetic.take(taken, s, micros, views, 0, 1);
      missed[key]--;
    } else {
      denied++;
    }
    arithmetic.view(ideal, s, micros, views, 0);
    if (arithmetic.admits(views, 0, 1)) {
      arithmetic.take(ideal, s, micros, views, 0, 1);
      missed[key]++;
    }
  }

  /** Returns how many requests were allowed without a token. */
  long overAdmissions() {
    return over;
  }

  /** Returns how many more requests exact buckets would have allowed. */
  long earlyDenials() {
    long early = 0;
    for (int each : missed) {
      early += Math.max(0, each);
    }
    return early;
  }

  /** Returns how many requests were denied. */
  long denials() {
    return denied;
  }
}
