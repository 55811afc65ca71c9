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

/** The acquisitions of one script call: what the script is told, and what its reply means. */
final class Batch {
  static final int MAX_BANDS = 256;
  private static final int MAX_KEYS = 255;
  private static final int MAX_REPEATS = 255;
  private static final int SLOTS = 512;

  /** The first byte of the items tells their form; see the script. */
  private static final byte GENERAL = 0;

  private static final byte SIMPLE = 1;
  private static final byte WIDE = 2;
  private static final int WIDE_BYTES = 4;

  private final ScriptParameters.Cache shapeCache;
  private final List<PendingAcquisition> tickets = new ArrayList<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<RateLimitKey> keyNames = new ArrayList<>();
  private final List<ScriptParameters> shapes = new ArrayList<>(2);

  /** Finds the place of a key by its hash; made for the second key. */
  private byte[] places = {};

  /** Finds the place of a key or shape where one acquisition has more keys than fit bytes. */
  private @Nullable Map<Object, Integer> widePlaces;

  /** Per run of equal acquisitions: how many, and the places of its keys and shapes. */
  private int[] runs = new int[96];

  private int runsEnd;
  private int runCount;
  private int lastRun = -1;
  private int bands;
  private boolean simple = true;
  private boolean waitedFor = true;
  private @Nullable InFlightLimit gate;

  Batch(ScriptParameters.Cache shapeCache) {
    this.shapeCache = shapeCache;
  }

  boolean isEmpty() {
    return tickets.isEmpty();
  }

  int size() {
    return tickets.size();
  }

  /** Returns how many different acquisitions there are: equal ones in a row are decided as one. */
  int different() {
    return runCount;
  }

  List<PendingAcquisition> tickets() {
    return tickets;
  }

  List<byte[]> keys() {
    return keys;
  }

  /** Says through which gate the call goes, if any. */
  void enteredBy(@Nullable InFlightLimit entered) {
    gate = entered;
  }

  /** Makes room for another call at the gate, if this one has not done so already. */
  void leaveGate() {
    InFlightLimit left = gate;
    if (left != null) {
      gate = null;
      left.leave();
    }
  }

  /** Returns whether all that hear of it are threads that wait, and have nothing else to run. */
  boolean waitedFor() {
    return waitedFor;
  }

  /** Returns whether one more acquisition fits into the call. */
  boolean fits(PendingAcquisition ticket) {
    Acquisition acquisition = ticket.acquisition();
    return tickets.isEmpty()
        || (bands + acquisition.bands() <= MAX_BANDS
            && keys.size() + acquisition.size() <= MAX_KEYS
            && shapes.size() + acquisition.size() <= MAX_KEYS);
  }

  void add(PendingAcquisition ticket) {
    boolean repeats =
        lastRun >= 0
            && runs[lastRun] < MAX_REPEATS
            && tickets.get(tickets.size() - 1).coalescesWith(ticket);
    tickets.add(ticket);
    waitedFor &= ticket.waitedFor();
    if (repeats) {
      runs[lastRun]++;
      ticket.sentAs(0, shapes.get(runs[lastRun + 2] - 1).generation());
      return;
    }
    Acquisition acquisition = ticket.acquisition();
    int size = acquisition.size();
    bands += acquisition.bands();
    simple &= size == 1 && !acquisition.shadow(0);
    if (size > MAX_KEYS) {
      widePlaces = new HashMap<>();
    }
    if (runs.length < runsEnd + 1 + 2 * size) {
      runs = Arrays.copyOf(runs, Math.max(runs.length * 2, runsEnd + 1 + 2 * size));
    }
    lastRun = runsEnd;
    runCount++;
    runs[runsEnd++] = 1;
    for (int i = 0; i < size; i++) {
      runs[runsEnd++] = keyPlace(ticket, i);
      int shape = shapePlace(acquisition, i);
      runs[runsEnd++] = shape;
      ticket.sentAs(i, shapes.get(shape - 1).generation());
    }
  }

  /** Returns the place of a key in the call, from 1. */
  private int keyPlace(PendingAcquisition ticket, int i) {
    RateLimitKey key = ticket.acquisition().key(i);
    int known = keyNames.size();
    if (widePlaces != null) {
      Integer place = widePlaces.putIfAbsent(key, known + 1);
      if (place != null) {
        return place;
      }
    } else if (known > 0 && places.length == 0) {
      places = new byte[SLOTS];
      places[slot(keyNames.get(0))] = 1;
    }
    if (widePlaces == null && known > 0) {
      int slot = slot(key);
      for (; places[slot] != 0; slot = slot + 1 & SLOTS - 1) {
        int place = places[slot] & 0xFF;
        if (keyNames.get(place - 1).equals(key)) {
          return place;
        }
      }
      places[slot] = (byte) (known + 1);
    }
    keyNames.add(key);
    keys.add(ticket.key(i).bytes());
    return known + 1;
  }

  private static int slot(RateLimitKey key) {
    int hash = key.hashCode();
    hash ^= hash >>> 18 ^ hash >>> 9;
    return hash & SLOTS - 1;
  }

  /** Returns the place of what a key is asked for among the shapes, from 1. */
  private int shapePlace(Acquisition acquisition, int i) {
    BucketLimits limits = acquisition.key(i).limits();
    long cost = acquisition.cost(i);
    if (widePlaces != null) {
      Integer place = widePlaces.putIfAbsent(new Asked(limits, cost), shapes.size() + 1);
      if (place != null) {
        return place;
      }
    } else {
      for (int s = 0; s < shapes.size(); s++) {
        if (shapes.get(s).is(limits, cost)) {
          return s + 1;
        }
      }
    }
    ScriptParameters shape = shapeCache.of(limits, cost);
    simple &= shape.simple();
    shapes.add(shape);
    return shapes.size();
  }

  private record Asked(BucketLimits limits, long cost) {}

  /** Returns the arguments that follow the keys, after the last acquisition was added. */
  List<byte[]> arguments() {
    List<byte[]> arguments = new ArrayList<>(shapes.size() + 1);
    arguments.add(simple ? simpleItems() : items());
    for (ScriptParameters shape : shapes) {
      arguments.add(shape.bytes());
    }
    return arguments;
  }

  private byte[] simpleItems() {
    byte[] items = new byte[1 + runsEnd / 3 * 4];
    items[0] = SIMPLE;
    int at = 1;
    int ticket = 0;
    for (int r = 0; r < runsEnd; r += 3) {
      items[at] = (byte) runs[r + 1];
      items[at + 1] = (byte) runs[r + 2];
      items[at + 2] = (byte) runs[r];
      items[at + 3] = (byte) (tickets.get(ticket).acquisition().dryRun() ? 1 : 0);
      at += 4;
      ticket += runs[r];
    }
    return items;
  }

  private byte[] items() {
    int width = widePlaces == null ? 1 : WIDE_BYTES;
    ByteBuffer items = ByteBuffer.allocate(1 + 3 * runsEnd * width);
    items.put(widePlaces == null ? GENERAL : WIDE);
    int ticket = 0;
    int r = 0;
    while (r < runsEnd) {
      Acquisition acquisition = tickets.get(ticket).acquisition();
      ticket += runs[r];
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
   * @param reply the numbers of the reply, and perhaps more
   * @param length how many there are
   * @return the outcome of each ticket, or null where the value of a bucket could not be read
   * @throws MalformedReplyException if it does not fit what was asked
   */
  @Nullable Outcome[] read(long[] reply, int length) throws MalformedReplyException {
    check(reply, length);
    @Nullable Outcome[] outcomes = new Outcome[tickets.size()];
    long now = reply[0];
    int r = 1;
    int at = 0;
    int run = 0;
    while (at < tickets.size()) {
      Acquisition first = tickets.get(at).acquisition();
      int count = runs[run];
      run += 1 + 2 * first.size();
      long passed = reply[r++];
      if (passed >= 0) {
        long[] views = new long[first.bands() * BandArithmetic.VIEW_WORDS];
        r = readViews(first, now, reply, r, views);
        for (int i = 0; i < count; i++) {
          outcomes[at + i] = outcome(tickets.get(at + i).acquisition(), now, views, i < passed);
          if (i < passed && count > 1) {
            advance(first, views);
          }
        }
      }
      at += count;
    }
    return outcomes;
  }

  /** Checks that the reply has the right form, before any part of it is used. */
  private void check(long[] reply, int length) throws MalformedReplyException {
    int r = 1;
    int at = 0;
    int run = 0;
    while (at < tickets.size() && r < length) {
      Acquisition first = tickets.get(at).acquisition();
      int count = runs[run];
      run += 1 + 2 * first.size();
      long passed = reply[r++];
      if (passed < -1 || passed > count) {
        throw new MalformedReplyException("a count of " + passed + " of " + count);
      }
      r += passed < 0 ? 0 : words(first);
      at += count;
    }
    if (at < tickets.size() || r != length) {
      throw new MalformedReplyException(
          "a reply of " + length + " numbers to " + tickets.size() + " acquisitions");
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

  /** Says that a reply is not one of the script's. */
  static final class MalformedReplyException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReplyException(String what) {
      super("Redis answered the script with " + what);
    }
  }
}
