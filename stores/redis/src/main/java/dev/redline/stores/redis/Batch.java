package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The acquisitions that one script call decides: encodes the arguments of the call and decodes its
 * reply. Equal acquisitions in a row are sent once, with a count.
 */
final class Batch {
  static final int MAX_BANDS = 256;
  private static final int MAX_KEYS = 255;
  private static final int MAX_REPEATS = 255;
  private static final int SLOTS = 512;

  /** The first byte of the items selects their encoding, which the script documents. */
  private static final byte GENERAL = 0;

  private static final byte SIMPLE = 1;
  private static final byte WIDE = 2;
  private static final int WIDE_BYTES = 4;

  private final ScriptParameters.Cache parametersCache;
  private final List<PendingAcquisition> acquisitions = new ArrayList<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<RateLimitKey> keyNames = new ArrayList<>();
  private final List<ScriptParameters> parameters = new ArrayList<>(2);

  /** A hash table of key positions; created with the second key. */
  private byte[] positions = {};

  /** Positions of keys and parameters, if an acquisition has more keys than a byte can count. */
  private @Nullable Map<Object, Integer> widePositions;

  /** For each run of equal acquisitions: its length, and the positions of keys and parameters. */
  private int[] runs = new int[96];

  private int runsEnd;
  private int runCount;
  private int lastRun = -1;
  private int bands;
  private boolean simple = true;
  private boolean blocking = true;
  private @Nullable InFlightLimit limit;

  Batch(ScriptParameters.Cache parametersCache) {
    this.parametersCache = parametersCache;
  }

  boolean isEmpty() {
    return acquisitions.isEmpty();
  }

  int size() {
    return acquisitions.size();
  }

  /** Returns the number of runs of equal acquisitions, each of which the script decides as one. */
  int different() {
    return runCount;
  }

  List<PendingAcquisition> acquisitions() {
    return acquisitions;
  }

  List<byte[]> keys() {
    return keys;
  }

  /** Sets the in-flight limit that counts the call, if any. */
  void countedBy(@Nullable InFlightLimit entered) {
    limit = entered;
  }

  /** Stops counting the call as in flight; has no effect the second time. */
  void leaveInFlight() {
    InFlightLimit left = limit;
    if (left != null) {
      limit = null;
      left.leave();
    }
  }

  /** Returns whether completing the acquisitions only wakes threads and runs no callers' code. */
  boolean isBlocking() {
    return blocking;
  }

  /** Returns whether one more acquisition fits into the call. */
  boolean fits(PendingAcquisition pending) {
    Acquisition acquisition = pending.acquisition();
    return acquisitions.isEmpty()
        || (bands + acquisition.bands() <= MAX_BANDS
            && keys.size() + acquisition.size() <= MAX_KEYS
            && parameters.size() + acquisition.size() <= MAX_KEYS);
  }

  void add(PendingAcquisition pending) {
    boolean repeats =
        lastRun >= 0
            && runs[lastRun] < MAX_REPEATS
            && acquisitions.get(acquisitions.size() - 1).coalescesWith(pending);
    acquisitions.add(pending);
    blocking &= pending.isBlocking();
    if (repeats) {
      runs[lastRun]++;
      pending.setGeneration(0, parameters.get(runs[lastRun + 2] - 1).generation());
      return;
    }
    Acquisition acquisition = pending.acquisition();
    int size = acquisition.size();
    bands += acquisition.bands();
    simple &= size == 1 && !acquisition.shadow(0);
    if (size > MAX_KEYS) {
      widePositions = new HashMap<>();
    }
    if (runs.length < runsEnd + 1 + 2 * size) {
      runs = Arrays.copyOf(runs, Math.max(runs.length * 2, runsEnd + 1 + 2 * size));
    }
    lastRun = runsEnd;
    runCount++;
    runs[runsEnd++] = 1;
    for (int i = 0; i < size; i++) {
      runs[runsEnd++] = keyPosition(pending, i);
      int position = parametersPosition(acquisition, i);
      runs[runsEnd++] = position;
      pending.setGeneration(i, parameters.get(position - 1).generation());
    }
  }

  /** Returns the position of a key among those of the call, from 1; adds a new key. */
  private int keyPosition(PendingAcquisition pending, int i) {
    RateLimitKey key = pending.acquisition().key(i);
    int known = keyNames.size();
    if (widePositions != null) {
      Integer position = widePositions.putIfAbsent(key, known + 1);
      if (position != null) {
        return position;
      }
    } else if (known > 0 && positions.length == 0) {
      positions = new byte[SLOTS];
      positions[slot(keyNames.get(0))] = 1;
    }
    if (widePositions == null && known > 0) {
      int slot = slot(key);
      for (; positions[slot] != 0; slot = slot + 1 & SLOTS - 1) {
        int position = positions[slot] & 0xFF;
        if (keyNames.get(position - 1).equals(key)) {
          return position;
        }
      }
      positions[slot] = (byte) (known + 1);
    }
    keyNames.add(key);
    keys.add(pending.key(i).bytes());
    return known + 1;
  }

  private static int slot(RateLimitKey key) {
    int hash = key.hashCode();
    hash ^= hash >>> 18 ^ hash >>> 9;
    return hash & SLOTS - 1;
  }

  /** Returns the position of the limits and cost of a key among the parameters, from 1. */
  private int parametersPosition(Acquisition acquisition, int i) {
    BucketLimits limits = acquisition.key(i).limits();
    long cost = acquisition.cost(i);
    if (widePositions != null) {
      Integer position =
          widePositions.putIfAbsent(new LimitsAndCost(limits, cost), parameters.size() + 1);
      if (position != null) {
        return position;
      }
    } else {
      for (int s = 0; s < parameters.size(); s++) {
        if (parameters.get(s).is(limits, cost)) {
          return s + 1;
        }
      }
    }
    ScriptParameters added = parametersCache.of(limits, cost);
    simple &= added.simple();
    parameters.add(added);
    return parameters.size();
  }

  private record LimitsAndCost(BucketLimits limits, long cost) {}

  /** Returns the arguments that follow the keys, after the last acquisition was added. */
  List<byte[]> arguments() {
    List<byte[]> arguments = new ArrayList<>(parameters.size() + 1);
    arguments.add(simple ? simpleItems() : items());
    for (ScriptParameters each : parameters) {
      arguments.add(each.bytes());
    }
    return arguments;
  }

  private byte[] simpleItems() {
    byte[] items = new byte[1 + runsEnd / 3 * 4];
    items[0] = SIMPLE;
    int at = 1;
    int index = 0;
    for (int r = 0; r < runsEnd; r += 3) {
      items[at] = (byte) runs[r + 1];
      items[at + 1] = (byte) runs[r + 2];
      items[at + 2] = (byte) runs[r];
      items[at + 3] = (byte) (acquisitions.get(index).acquisition().dryRun() ? 1 : 0);
      at += 4;
      index += runs[r];
    }
    return items;
  }

  private byte[] items() {
    int width = widePositions == null ? 1 : WIDE_BYTES;
    ByteBuffer items = ByteBuffer.allocate(1 + 3 * runsEnd * width);
    items.put(widePositions == null ? GENERAL : WIDE);
    int index = 0;
    int r = 0;
    while (r < runsEnd) {
      Acquisition acquisition = acquisitions.get(index).acquisition();
      index += runs[r];
      ScriptParameters.put(items, acquisition.size(), width);
      ScriptParameters.put(items, runs[r++], width);
      ScriptParameters.put(items, acquisition.dryRun() ? 1 : 0, width);
      for (int i = 0; i < acquisition.size(); i++, r += 2) {
        ScriptParameters.put(items, runs[r], width);
        ScriptParameters.put(items, runs[r + 1], width);
        ScriptParameters.put(items, acquisition.shadow(i) ? 1 : 0, width);
      }
    }
    return Arrays.copyOf(items.array(), items.position());
  }

  /**
   * Reads the script's reply.
   *
   * @param reply the numbers of the reply; the array may be longer
   * @param length how many numbers the reply has
   * @return the outcome of each acquisition, or null where the value of a bucket is malformed
   * @throws MalformedReplyException if the reply does not fit the call
   */
  @Nullable Outcome[] read(long[] reply, int length) throws MalformedReplyException {
    check(reply, length);
    @Nullable Outcome[] outcomes = new Outcome[acquisitions.size()];
    long now = reply[0];
    int r = 1;
    int at = 0;
    int run = 0;
    while (at < acquisitions.size()) {
      Acquisition first = acquisitions.get(at).acquisition();
      int count = runs[run];
      run += 1 + 2 * first.size();
      long passed = reply[r++];
      if (passed >= 0) {
        long[] views = new long[first.bands() * BandArithmetic.VIEW_WORDS];
        r = readViews(first, now, reply, r, views);
        for (int i = 0; i < count; i++) {
          outcomes[at + i] =
              outcome(acquisitions.get(at + i).acquisition(), now, views, i < passed);
          if (i < passed && count > 1) {
            advance(first, views);
          }
        }
      }
      at += count;
    }
    return outcomes;
  }

  /** Validates the reply before any part of it is used. */
  private void check(long[] reply, int length) throws MalformedReplyException {
    int r = 1;
    int at = 0;
    int run = 0;
    while (at < acquisitions.size() && r < length) {
      Acquisition first = acquisitions.get(at).acquisition();
      int count = runs[run];
      run += 1 + 2 * first.size();
      long passed = reply[r++];
      if (passed < -1 || passed > count) {
        throw new MalformedReplyException("a count of " + passed + " of " + count);
      }
      r += passed < 0 ? 0 : words(first);
      at += count;
    }
    if (at < acquisitions.size() || r != length) {
      throw new MalformedReplyException(
          "a reply of " + length + " numbers to " + acquisitions.size() + " acquisitions");
    }
  }

  private static int words(Acquisition acquisition) {
    int words = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++) {
        words += limits.band(b).sentWords();
      }
    }
    return words;
  }

  private static int readViews(
      Acquisition acquisition, long now, long[] reply, int from, long[] views) {
    int r = from;
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        int words = limits.band(b).sentWords();
        System.arraycopy(reply, r, views, v, words);
        limits.band(b).complete(views, v, now);
        r += words;
      }
    }
    return r;
  }

  private static Outcome outcome(Acquisition acquisition, long now, long[] views, boolean allowed) {
    Outcome outcome = new Outcome();
    outcome.reset(acquisition.bands());
    System.arraycopy(views, 0, outcome.views(), 0, views.length);
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      boolean passes = true;
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        passes &= limits.band(b).admits(views, v, acquisition.cost(i));
      }
      if (passes) {
        outcome.pass(i);
      }
    }
    outcome.decide(allowed, now);
    return outcome;
  }

  private static void advance(Acquisition acquisition, long[] views) {
    BucketLimits limits = acquisition.key(0).limits();
    for (int b = 0; b < limits.size(); b++) {
      limits.band(b).advance(views, b * BandArithmetic.VIEW_WORDS, acquisition.cost(0));
    }
  }

  /** A reply that the script cannot have sent. */
  static final class MalformedReplyException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReplyException(String what) {
      super("the script's reply has " + what);
    }
  }
}
