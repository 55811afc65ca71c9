package dev.redline.stores.redis;

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
 * The acquisitions that one script call decides, in order of arrival.
 *
 * <p>Equal ones are a {@link Run}, also if acquisitions of other keys arrived between them: those
 * neither see the bucket nor change it. Acquisitions of the same key keep their order.
 */
final class Batch {
  static final int MAX_BANDS = 256;
  private static final int MAX_KEYS = 255;
  private static final int SLOTS = 512;

  /** How many blocked threads an I/O thread wakes itself; more would delay its I/O. */
  private static final int MAX_WOKEN_BY_IO_THREAD = 4;

  /** The first byte of the items selects their encoding, which the script documents. */
  private static final byte GENERAL = 0;

  private static final byte SIMPLE = 1;
  private static final byte WIDE = 2;
  private static final byte FLAT_ONE_BAND = 3;
  private static final byte FLAT_THREE_BANDS = 4;
  private static final int WIDE_BYTES = 4;

  private final ScriptParameters.Cache parametersCache;
  private final List<PendingAcquisition> acquisitions = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<RateLimitKey> keyNames = new ArrayList<>();
  private final List<ScriptParameters> parameters = new ArrayList<>(2);

  /** For each acquisition the index of its run. */
  private int[] runOf = new int[64];

  /** For each key the index of the last run that has it. */
  private int[] lastRunOf = new int[64];

  /** A hash table of key positions; created with the second key. */
  private byte[] positions = {};

  /** Positions of keys and parameters, if an acquisition has more keys than a byte can count. */
  private @Nullable Map<Object, Integer> widePositions;

  private int bands;
  private boolean simple = true;
  private boolean flat = true;
  private int blockedThreads;
  private boolean hasContinuations;
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
    return runs.size();
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

  /** Returns whether an I/O thread may complete the acquisitions: it does not take long. */
  boolean mayCompleteOnIoThread() {
    return !hasContinuations && blockedThreads <= MAX_WOKEN_BY_IO_THREAD;
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
    Acquisition acquisition = pending.acquisition();
    boolean mergeable = Run.mergeable(acquisition);
    int known = mergeable ? find(acquisition.key(0)) : 0;
    if (known > 0
        && pending.runLength() == 1
        && runs.get(lastRunOf[known - 1]).merge(acquisition)) {
      Run run = runs.get(lastRunOf[known - 1]);
      enter(pending, lastRunOf[known - 1]);
      pending.setGeneration(0, parameters.get(run.parametersPosition(0) - 1).generation());
      return;
    }
    int size = acquisition.size();
    if (size > MAX_KEYS) {
      widePositions = new HashMap<>();
    }
    Run run = new Run(acquisition, pending.runLength());
    bands += acquisition.bands();
    simple &= size == 1 && !acquisition.shadow(0);
    flat &= mergeable && known == 0;
    for (int i = 0; i < size; i++) {
      int key = keyPosition(pending, i);
      int position = parametersPosition(acquisition, i);
      run.place(i, key, position);
      lastRunOf[key - 1] = runs.size();
      pending.setGeneration(i, parameters.get(position - 1).generation());
    }
    enter(pending, runs.size());
    runs.add(run);
  }

  private void enter(PendingAcquisition pending, int run) {
    if (acquisitions.size() == runOf.length) {
      runOf = Arrays.copyOf(runOf, 2 * runOf.length);
    }
    runOf[acquisitions.size()] = run;
    acquisitions.add(pending);
    switch (pending.waiter()) {
      case THREAD -> blockedThreads++;
      case CONTINUATIONS -> hasContinuations = true;
      case EVENT_LOOP -> {}
    }
  }

  /** Returns the position of a key among those of the call, from 1; 0 if it is not there. */
  private int find(RateLimitKey key) {
    if (widePositions != null) {
      return widePositions.getOrDefault(key, 0);
    }
    if (positions.length == 0) {
      return !keyNames.isEmpty() && keyNames.get(0).equals(key) ? 1 : 0;
    }
    for (int slot = slot(key); positions[slot] != 0; slot = slot + 1 & SLOTS - 1) {
      int position = positions[slot] & 0xFF;
      if (keyNames.get(position - 1).equals(key)) {
        return position;
      }
    }
    return 0;
  }

  /** Returns the position of a key among those of the call, from 1; adds a new key. */
  private int keyPosition(PendingAcquisition pending, int i) {
    RateLimitKey key = pending.acquisition().key(i);
    int known = find(key);
    return known > 0 ? known : addKey(key, pending.key(i).bytes());
  }

  private int addKey(RateLimitKey key, byte[] name) {
    keyNames.add(key);
    keys.add(name);
    int position = keys.size();
    if (position > lastRunOf.length) {
      lastRunOf = Arrays.copyOf(lastRunOf, 2 * lastRunOf.length);
    }
    if (widePositions != null) {
      widePositions.put(key, position);
    } else if (position > 1) {
      if (positions.length == 0) {
        positions = new byte[SLOTS];
        positions[slot(keyNames.get(0))] = 1;
      }
      int slot = slot(key);
      while (positions[slot] != 0) {
        slot = slot + 1 & SLOTS - 1;
      }
      positions[slot] = (byte) position;
    }
    return position;
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
    flat &= parameters.isEmpty() || parameters.get(0).bands() == added.bands();
    parameters.add(added);
    return parameters.size();
  }

  private record LimitsAndCost(BucketLimits limits, long cost) {}

  /** Returns whether there is one acquisition, of a kind that has a script of its own. */
  boolean isOneSimpleAcquisition() {
    return acquisitions.size() == 1
        && simple
        && flat
        && bands == 1
        && acquisitions.get(0).runLength() == 1;
  }

  /** Returns the arguments that follow the keys, after the last acquisition was added. */
  List<byte[]> arguments() {
    if (isOneSimpleAcquisition()) {
      return List.of(parameters.get(0).bytes());
    }
    List<byte[]> arguments = new ArrayList<>(parameters.size() + 1);
    arguments.add(items());
    for (ScriptParameters each : parameters) {
      arguments.add(each.bytes());
    }
    return arguments;
  }

  private byte[] items() {
    if (!simple) {
      return generalItems();
    }
    int bandsOfEach = parameters.get(0).bands();
    if (flat && bandsOfEach == 1) {
      return flatItems(FLAT_ONE_BAND);
    }
    return flat && bandsOfEach == 3 ? flatItems(FLAT_THREE_BANDS) : simpleItems();
  }

  private byte[] flatItems(byte encoding) {
    byte[] items = new byte[1 + 2 * runs.size()];
    items[0] = encoding;
    int at = 1;
    for (Run run : runs) {
      items[at++] = (byte) run.parametersPosition(0);
      items[at++] = (byte) run.length();
    }
    return items;
  }

  private byte[] simpleItems() {
    byte[] items = new byte[1 + 4 * runs.size()];
    items[0] = SIMPLE;
    int at = 1;
    for (Run run : runs) {
      items[at++] = (byte) run.keyPosition(0);
      items[at++] = (byte) run.parametersPosition(0);
      items[at++] = (byte) run.length();
      items[at++] = (byte) (run.acquisition().dryRun() ? 1 : 0);
    }
    return items;
  }

  private byte[] generalItems() {
    int width = widePositions == null ? 1 : WIDE_BYTES;
    int numbers = runs.stream().mapToInt(run -> 3 + 3 * run.acquisition().size()).sum();
    ByteBuffer items = ByteBuffer.allocate(1 + numbers * width);
    items.put(widePositions == null ? GENERAL : WIDE);
    for (Run run : runs) {
      Acquisition acquisition = run.acquisition();
      ScriptParameters.put(items, acquisition.size(), width);
      ScriptParameters.put(items, run.length(), width);
      ScriptParameters.put(items, acquisition.dryRun() ? 1 : 0, width);
      for (int i = 0; i < acquisition.size(); i++) {
        ScriptParameters.put(items, run.keyPosition(i), width);
        ScriptParameters.put(items, run.parametersPosition(i), width);
        ScriptParameters.put(items, acquisition.shadow(i) ? 1 : 0, width);
      }
    }
    return items.array();
  }

  /**
   * Reads the script's reply.
   *
   * @param reply the numbers of the reply; the array may be longer
   * @param length how many numbers the reply has
   * @return the outcome of each acquisition, or null where the value of a bucket is malformed
   * @throws ReplyReader.MalformedReplyException if the reply does not fit the call
   */
  @Nullable Outcome[] read(long[] reply, int length) throws ReplyReader.MalformedReplyException {
    ReplyReader reader = new ReplyReader(runs, reply, length);
    reader.check();
    ReplyReader.DecidedRun[] decided = reader.read();
    @Nullable Outcome[] outcomes = new Outcome[acquisitions.size()];
    for (int i = 0; i < outcomes.length; i++) {
      acquisitions.get(i).passed(decided[runOf[i]].passed());
      outcomes[i] = decided[runOf[i]].next(acquisitions.get(i).acquisition());
    }
    return outcomes;
  }
}
