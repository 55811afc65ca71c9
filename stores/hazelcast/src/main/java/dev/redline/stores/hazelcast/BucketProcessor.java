package dev.redline.stores.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import dev.redline.stores.hazelcast.CallerEntry.StoredBucket;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is done to the entry of one caller, on the thread of its partition: acquire, refund what was
 * acquired, or reset buckets.
 *
 * <p>Only an action that changes the entry has a backup processor, which writes the same bytes; a
 * denial causes no backup. Sent in a format with a version: a member rejects a format that it does
 * not know, so that a rolling upgrade fails acquisitions instead of misreading them.
 */
final class BucketProcessor
    implements EntryProcessor<String, byte[], long[]>, DataSerializable, HazelcastInstanceAware {
  private static final long serialVersionUID = 1L;

  private static final byte FORMAT = 1;

  /** How far the clock may be behind the last write before it counts as a step. */
  private static final long SMALL_STEP_MICROS = 1_000_000;

  /** What an entry's expiry is longer than needed: it counts whole seconds and may come early. */
  private static final long SLACK_MILLIS = 2_000;

  /** Hazelcast counts seconds in an int. */
  private static final long MAX_TTL_MILLIS = TimeUnit.DAYS.toMillis(365L * 50);

  private static final long DENIED = 0;
  private static final long ALLOWED = 1;
  private static final long BAD_STATE = 2;

  private enum Action {
    ACQUIRE(0),
    REFUND(1),
    RESET(2);

    /** What stands for it in the serialized form. */
    private final byte code;

    Action(int code) {
      this.code = (byte) code;
    }

    static Action of(byte code) throws IOException {
      for (Action action : values()) {
        if (action.code == code) {
          return action;
        }
      }
      throw new IOException("unknown action " + code + ": this member is older than the caller");
    }
  }

  private Action action;
  private transient Acquisition acquisition;
  private long[] generations;
  private transient @Nullable Outcome taken;
  private transient @Nullable HazelcastInstance member;
  private transient byte @Nullable [] written;
  private transient boolean sent;
  private transient @Nullable Outcome outcome;
  private transient long ttlMillis;

  /** For Hazelcast, which reads the fields. */
  @SuppressWarnings({"unused", "NullAway.Init"})
  BucketProcessor() {}

  private BucketProcessor(
      Action action, Acquisition acquisition, long[] generations, @Nullable Outcome taken) {
    this.action = action;
    this.acquisition = acquisition;
    this.generations = generations;
    this.taken = taken;
  }

  /** Returns the processor that acquires from buckets of one caller. */
  static BucketProcessor acquire(Acquisition acquisition, long[] generations) {
    return new BucketProcessor(Action.ACQUIRE, acquisition, generations, null);
  }

  /** Returns the processor that refunds what an acquisition took. */
  static BucketProcessor refund(Acquisition acquisition, long[] generations, Outcome taken) {
    return new BucketProcessor(Action.REFUND, acquisition, generations, taken);
  }

  /** Returns the processor that makes the bucket of a key full. */
  static BucketProcessor reset(RateLimitKey key) {
    return new BucketProcessor(Action.RESET, Acquisition.of(key, 1), new long[1], null);
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  public long @Nullable [] process(Map.Entry<String, byte[]> mapEntry) {
    written = null;
    HazelcastInstance here = member;
    if (here == null) {
      throw new IllegalStateException("the processor does not run on a member");
    }
    CallerEntry entry;
    try {
      entry = CallerEntry.read(value(mapEntry));
    } catch (StoreException malformed) {
      return new long[] {BAD_STATE, 0};
    }
    long clock = ClusterTime.of(here).nowMicros();
    long behind = entry.writtenMicros() - clock;
    // The clocks of members differ a little, and the owner may change.
    long now = behind > 0 && behind < SMALL_STEP_MICROS ? entry.writtenMicros() : clock;
    try {
      return switch (action) {
        case ACQUIRE -> acquire(mapEntry, entry, now);
        case REFUND -> refund(mapEntry, entry, now);
        case RESET -> reset(mapEntry, entry, now);
      };
    } catch (StoreException malformed) {
      return new long[] {BAD_STATE, now};
    }
  }

  /** Returns the value of an entry, to which other programs may have written anything. */
  private static byte @Nullable [] value(Map.Entry<String, byte[]> mapEntry) {
    Map.Entry<String, ?> entry = mapEntry;
    Object value;
    try {
      value = entry.getValue();
    } catch (HazelcastSerializationException e) {
      throw CallerEntry.malformed();
    }
    if (value != null && !(value instanceof byte[])) {
      throw CallerEntry.malformed();
    }
    return (byte[]) value;
  }

  private long @Nullable [] acquire(
      Map.Entry<String, byte[]> mapEntry, CallerEntry entry, long now) {
    BucketStates states = new BucketStates(acquisition);
    String[] names = new String[acquisition.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = CallerEntry.name(acquisition.key(i).limits());
      StoredBucket stored = entry.find(names[i]);
      if (stored != null && stored.generation() >= generations[i]) {
        states.load(i, stored.words());
      }
    }
    Outcome outcome = states.decide(now);
    boolean changed = false;
    for (int i = 0; i < names.length; i++) {
      if (states.isChanged(i)) {
        StoredBucket before = entry.find(names[i]);
        entry.put(
            names[i],
            before == null ? generations[i] : Math.max(before.generation(), generations[i]),
            now + states.microsToFull(i, now),
            before == null ? 0 : before.refundedMicros(),
            states.state(i));
        changed = true;
      }
    }
    if (changed) {
      write(mapEntry, entry, now);
    }
    if (!sent) {
      // The caller has this object, so the outcome need not be serialized.
      this.outcome = outcome;
      return null;
    }
    return reply(outcome);
  }

  /**
   * Refunds, unless a bucket was refunded since it was acquired from: then the two refunds could
   * give back too much, and the tokens stay taken until they are refilled.
   */
  private long[] refund(Map.Entry<String, byte[]> mapEntry, CallerEntry entry, long now) {
    Outcome before = taken;
    if (before == null) {
      throw new IllegalStateException("a refund needs the outcome that it refunds");
    }
    BucketStates states = new BucketStates(acquisition);
    boolean[] possible = new boolean[acquisition.size()];
    for (int i = 0; i < possible.length; i++) {
      StoredBucket stored = entry.find(CallerEntry.name(acquisition.key(i).limits()));
      if (stored != null
          && stored.generation() == generations[i]
          && stored.refundedMicros() < before.nowMicros()) {
        states.load(i, stored.words());
        possible[i] = true;
      }
    }
    states.refund(before, now);
    boolean changed = false;
    for (int i = 0; i < possible.length; i++) {
      if (possible[i] && states.isChanged(i)) {
        String name = CallerEntry.name(acquisition.key(i).limits());
        // Kept until the take would have been refilled, for later refunds.
        StoredBucket stored = entry.find(name);
        long full = stored == null ? now : stored.fullMicros();
        entry.put(name, generations[i], Math.max(full, now + 1), now, states.state(i));
        changed = true;
      }
    }
    if (changed) {
      write(mapEntry, entry, now);
    }
    return new long[] {ALLOWED, now};
  }

  /** Makes a bucket full, and marks it as refunded: what was taken before is not given back. */
  private long[] reset(Map.Entry<String, byte[]> mapEntry, CallerEntry entry, long now) {
    String name = CallerEntry.name(acquisition.key(0).limits());
    StoredBucket stored = entry.find(name);
    if (stored != null) {
      long[] full = new BucketStates(acquisition).state(0);
      entry.put(name, stored.generation(), now, now, full);
      write(mapEntry, entry, now);
    }
    return new long[] {ALLOWED, now};
  }

  private void write(Map.Entry<String, byte[]> mapEntry, CallerEntry entry, long now) {
    written = entry.write(now);
    ttlMillis = Math.min(MAX_TTL_MILLIS, (entry.neededMicros() - now) / 1000 + 1 + SLACK_MILLIS);
    BackupWriter.store(mapEntry, written, ttlMillis);
  }

  private long[] reply(Outcome outcome) {
    int passedWords = (acquisition.size() + Long.SIZE - 1) / Long.SIZE;
    int viewWords = acquisition.bands() * BandArithmetic.VIEW_WORDS;
    long[] reply = new long[2 + passedWords + viewWords];
    reply[0] = outcome.allowed() ? ALLOWED : DENIED;
    reply[1] = outcome.nowMicros();
    putPassed(outcome, reply, 2);
    System.arraycopy(outcome.views(), 0, reply, 2 + passedWords, viewWords);
    return reply;
  }

  private void putPassed(Outcome outcome, long[] words, int at) {
    for (int i = 0; i < acquisition.size(); i++) {
      if (outcome.passed(i)) {
        words[at + i / Long.SIZE] |= 1L << i;
      }
    }
  }

  /**
   * Returns the outcome of an acquisition.
   *
   * @param reply what the processor returned; null if it ran in this process
   * @throws StoreException if the entry is malformed
   */
  Outcome outcomeOf(long @Nullable [] reply) {
    if (reply != null) {
      return outcome(acquisition, reply);
    }
    Outcome here = outcome;
    if (here == null) {
      throw new StoreException(StoreException.Kind.BAD_RESPONSE, "Hazelcast replied nothing");
    }
    return here;
  }

  /** Returns whether a processor replied that the entry is malformed, and so did nothing. */
  static boolean isMalformed(long @Nullable [] reply) {
    return reply != null && reply[0] == BAD_STATE;
  }

  private static Outcome outcome(Acquisition acquisition, long[] reply) {
    if (isMalformed(reply)) {
      throw new StoreException(
          StoreException.Kind.BAD_STATE,
          "the value of a caller's entry in Hazelcast is malformed, or of another version");
    }
    int passedWords = (acquisition.size() + Long.SIZE - 1) / Long.SIZE;
    int viewWords = acquisition.bands() * BandArithmetic.VIEW_WORDS;
    if (reply.length != 2 + passedWords + viewWords) {
      throw new StoreException(
          StoreException.Kind.BAD_RESPONSE,
          "the reply of Hazelcast has " + reply.length + " words");
    }
    Outcome outcome = new Outcome();
    outcome.reset(acquisition.bands());
    System.arraycopy(reply, 2 + passedWords, outcome.views(), 0, viewWords);
    for (int i = 0; i < acquisition.size(); i++) {
      if ((reply[2 + i / Long.SIZE] >>> i & 1) != 0) {
        outcome.pass(i);
      }
    }
    outcome.decide(reply[0] == ALLOWED, reply[1]);
    return outcome;
  }

  @Override
  public @Nullable EntryProcessor<String, byte[], long[]> getBackupProcessor() {
    byte[] value = written;
    return value == null ? null : new BackupWriter(value, ttlMillis);
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByte(FORMAT);
    out.writeByte(action.code);
    out.writeBoolean(acquisition.dryRun());
    out.writeInt(acquisition.size());
    for (int i = 0; i < acquisition.size(); i++) {
      out.writeByteArray(LimitsCodec.encode(acquisition.key(i).limits()));
      out.writeLong(acquisition.cost(i));
      out.writeBoolean(acquisition.shadow(i));
      out.writeLong(generations[i]);
    }
    out.writeLongArray(taken == null ? null : reply(taken));
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    byte format = in.readByte();
    if (format != FORMAT) {
      throw new IOException(
          "a client or member of another version of Redline sends format "
              + format
              + ", this one reads "
              + FORMAT);
    }
    sent = true;
    action = Action.of(in.readByte());
    Acquisition.Builder builder = Acquisition.builder().dryRun(in.readBoolean());
    generations = new long[in.readInt()];
    for (int i = 0; i < generations.length; i++) {
      RateLimitKey key = new RateLimitKey(LimitsCodec.decode(in.readByteArray()), "");
      builder.add(key, in.readLong(), in.readBoolean());
      generations[i] = in.readLong();
    }
    acquisition = builder.build();
    long[] reply = in.readLongArray();
    taken = reply == null ? null : outcome(acquisition, reply);
  }

  @Override
  public String toString() {
    return "BucketProcessor[" + action + Arrays.toString(generations) + "]";
  }
}
