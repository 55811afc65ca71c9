package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A recording of all acquisitions of several nodes on one shared store, with their outcomes, for
 * {@link HistoryChecker}.
 *
 * <pre>{@code
 * History history = new History();
 * StorageProvider a = history.record("a", storeOfNodeA);
 * StorageProvider b = history.record("b", storeOfNodeB);
 * … traffic through a and b, and faults of the server …
 * HistoryChecker.check(history);
 * }</pre>
 *
 * <p>The test must declare what outcomes do not show: when state may be lost ({@link #forgetting}),
 * when buckets are reset ({@link #resetting}), and when the server's clock is changed ({@link
 * #turningClock}). Thread-safe.
 */
public final class History {
  private final Function<RateLimitKey, ?> slots;
  private final AtomicLong sequence = new AtomicLong();
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Queue<Long> settled = new ConcurrentLinkedQueue<>();
  private final Queue<LeaseRecorder> leaseRecorders = new ConcurrentLinkedQueue<>();

  /** Starts a history of a store that decides all keys of an acquisition atomically. */
  public History() {
    this(key -> "");
  }

  private History(Function<RateLimitKey, ?> slots) {
    this.slots = slots;
  }

  /**
   * Starts a history of a store that acquires from one slot after the other, and refunds when
   * another slot denies.
   *
   * @param slotOf returns the slot of a key; keys of one slot are decided atomically
   */
  public static History acrossSlots(Function<RateLimitKey, ?> slotOf) {
    return new History(slotOf);
  }

  /** Returns a store that forwards to a node's store and records all acquisitions. */
  public StorageProvider record(String node, StorageProvider store) {
    return new RecordingStore(node, store);
  }

  /** Returns what records the leases of a node; its store must call it. */
  public LeaseRecorder recordLeases(String node) {
    LeaseRecorder recorder = new LeaseRecorder(node, sequence::incrementAndGet);
    leaseRecorders.add(recorder);
    return recorder;
  }

  /** Returns the leases of all nodes. */
  List<RecordedLease> leases() {
    return leaseRecorders.stream().flatMap(recorder -> recorder.leases().stream()).toList();
  }

  /**
   * Declares that state may be lost once until the span is closed: by a failover, a restart, a
   * flush. Each bucket may then gain at most its capacity.
   */
  public Span forgetting() {
    return begin(Event.Kind.FORGET, limits -> true);
  }

  /**
   * Declares that the buckets of a rule or plan are reset, each once, before the span is closed;
   * from then on all nodes must use the reset buckets.
   */
  public Span resetting(OwnerKind kind, String ownerId) {
    return begin(
        Event.Kind.RESET, limits -> limits.ownerKind() == kind && limits.ownerId().equals(ownerId));
  }

  /**
   * Declares that the server's clock may change until the span is closed, or that state written by
   * a wrong clock may appear. Each bucket may then once have any state within its capacity.
   */
  public Span turningClock() {
    return begin(Event.Kind.STEP, limits -> true);
  }

  /** Declares that acquisitions that failed until now have no effect from now on. */
  public void settled() {
    settled.add(System.nanoTime());
  }

  private Span begin(Event.Kind kind, Predicate<BucketLimits> concerned) {
    Event event = new Event(kind, concerned, System.nanoTime());
    events.add(event);
    return () -> event.end = System.nanoTime();
  }

  /** A time span of the history in which an event may happen. */
  @FunctionalInterface
  public interface Span extends AutoCloseable {
    /** Ends the span. */
    @Override
    void close();
  }

  /** An event on the server. */
  static final class Event {
    enum Kind {
      FORGET,
      RESET,
      STEP
    }

    final Kind kind;
    final Predicate<BucketLimits> concerned;
    final long begin;
    private volatile long end = Long.MAX_VALUE;

    Event(Kind kind, Predicate<BucketLimits> concerned, long begin) {
      this.kind = kind;
      this.concerned = concerned;
      this.begin = begin;
    }

    /** Returns whether the event ended before a call was invoked. */
    boolean endedBefore(Observation observation) {
      return hasEndedBefore(observation.call().invoked);
    }

    boolean hasEndedBefore(long nanos) {
      return end != Long.MAX_VALUE && end - nanos < 0;
    }

    /** Returns whether the event may have happened before a call returned. */
    boolean mayPrecede(Observation observation) {
      return !observation.call().hasEnded() || begin - observation.call().returned <= 0;
    }
  }

  /** One acquisition of a node. Times are of {@link System#nanoTime}. */
  static final class Call {
    final long number;
    final String node;
    final Acquisition acquisition;
    final long invoked = System.nanoTime();
    volatile long submitted = Long.MAX_VALUE;
    long returned;
    private volatile @Nullable Outcome outcome;
    private volatile @Nullable Throwable failure;

    Call(long number, String node, Acquisition acquisition) {
      this.number = number;
      this.node = node;
      this.acquisition = acquisition;
    }

    void decided(Outcome original) {
      returned = System.nanoTime();
      // Callers reuse outcomes, so the history needs a copy.
      outcome = original.copy();
    }

    void failed(Throwable cause) {
      returned = System.nanoTime();
      failure = cause;
    }

    @Nullable Outcome outcome() {
      return outcome;
    }

    @Nullable Throwable failure() {
      return failure;
    }

    /** Returns whether the call returned, with an outcome or an exception. */
    boolean hasEnded() {
      return outcome != null || failure != null;
    }

    @Override
    public String toString() {
      return "call " + number + " of node " + node;
    }
  }

  List<Event> events() {
    return new ArrayList<>(events);
  }

  /** Returns how often {@link #settled} was called before a time. */
  int epoch(long nanos) {
    return (int) settled.stream().filter(moment -> moment - nanos < 0).count();
  }

  List<Call> calls() {
    return new ArrayList<>(calls);
  }

  Object slot(RateLimitKey key) {
    return slots.apply(key);
  }

  /** Returns the number of acquisitions. */
  public int size() {
    return calls.size();
  }

  private final class RecordingStore extends ForwardingStore {
    private final String node;
    private final StorageProvider store;

    RecordingStore(String node, StorageProvider store) {
      this.node = node;
      this.store = store;
    }

    @Override
    protected StorageProvider delegate() {
      return store;
    }

    @Override
    public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
      Call call = new Call(sequence.incrementAndGet(), node, acquisition);
      boolean decided = store.acquireNow(acquisition, outcome);
      if (decided) {
        call.submitted = System.nanoTime();
        call.decided(outcome);
        calls.add(call);
      }
      return decided;
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      Call call = new Call(sequence.incrementAndGet(), node, acquisition);
      calls.add(call);
      CompletionStage<Outcome> original = store.acquire(acquisition);
      call.submitted = System.nanoTime();
      return original.whenComplete(
          (outcome, failure) -> {
            if (failure == null) {
              call.decided(outcome);
            } else {
              call.failed(failure);
            }
          });
    }

    @Override
    public Outcome acquireAndWait(Acquisition acquisition) {
      Call call = new Call(sequence.incrementAndGet(), node, acquisition);
      calls.add(call);
      try {
        Outcome outcome = store.acquireAndWait(acquisition);
        call.submitted = System.nanoTime();
        call.decided(outcome);
        return outcome;
      } catch (RuntimeException e) {
        call.failed(e);
        throw e;
      }
    }
  }
}
