package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreHealth;
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
 * What several nodes asked of one shared store and what they were answered, for {@link
 * HistoryChecker} to judge.
 *
 * <pre>{@code
 * History history = new History();
 * StorageProvider a = history.record("a", storeOfNodeA);
 * StorageProvider b = history.record("b", storeOfNodeB);
 * … traffic through a and b, and what may be done to the server meanwhile …
 * HistoryChecker.check(history);
 * }</pre>
 *
 * <p>What nobody can see in the answers has to be told: when state may have been lost ({@link
 * #forgetting}), when buckets were made fresh ({@link #resetting}), when the server's clock was
 * turned ({@link #turningClock}). Thread-safe.
 */
public final class History {
  private final Function<RateLimitKey, ?> slots;
  private final AtomicLong sequence = new AtomicLong();
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Queue<Long> settled = new ConcurrentLinkedQueue<>();

  /** Begins a history of a store that takes all keys of an acquisition at one blow. */
  public History() {
    this(key -> "");
  }

  private History(Function<RateLimitKey, ?> slots) {
    this.slots = slots;
  }

  /**
   * Begins a history of a store that takes keys of different slots one after the other, and gives
   * back what it took where another slot refuses.
   *
   * @param slotOf tells the slot of a key; keys of equal slots are taken at one blow
   */
  public static History acrossSlots(Function<RateLimitKey, ?> slotOf) {
    return new History(slotOf);
  }

  /** Returns the store as a node sees it, with everything it is asked and answers written down. */
  public StorageProvider record(String node, StorageProvider store) {
    return new Recorder(node, store);
  }

  /**
   * Says that from now until the span is closed, state may be lost once: a failover, a restart, a
   * flush. Each bucket may then have forgotten at most what it knew: one capacity.
   */
  public Span forgetting() {
    return begin(Event.Kind.FORGET, limits -> true);
  }

  /**
   * Says that from now on the buckets of a rule or plan are made fresh, each once; when the span is
   * closed, all nodes must know.
   */
  public Span resetting(OwnerKind kind, String ownerId) {
    return begin(
        Event.Kind.RESET, limits -> limits.ownerKind() == kind && limits.ownerId().equals(ownerId));
  }

  /**
   * Says that from now until the span is closed the server's clock may be turned, or state turn up
   * that was written by a clock that goes wrong. Each bucket may then once show any state within
   * its capacity.
   */
  public Span turningClock() {
    return begin(Event.Kind.STEP, limits -> true);
  }

  /** Says that whatever failed until now has been done by now, or never will be. */
  public void settled() {
    settled.add(System.nanoTime());
  }

  private Span begin(Event.Kind kind, Predicate<BucketLimits> concerned) {
    Event event = new Event(kind, concerned, System.nanoTime());
    events.add(event);
    return () -> event.end = System.nanoTime();
  }

  /** A stretch of the history in which something is done to the server. */
  @FunctionalInterface
  public interface Span extends AutoCloseable {
    /** Ends the stretch. */
    @Override
    void close();
  }

  /** Something that was done to the server. */
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

    /** Returns whether it was over when the look was asked for. */
    boolean overBefore(Observation look) {
      return end != Long.MAX_VALUE && end - look.call().invoked < 0;
    }

    /** Returns whether it may have happened before the look was answered. */
    boolean mayPrecede(Observation look) {
      return !look.call().isOver() || begin - look.call().returned <= 0;
    }
  }

  /** One acquisition as a node asked for it. Times are of {@link System#nanoTime}. */
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

    void decided(Outcome answer) {
      returned = System.nanoTime();
      // Outcomes are used again by their callers.
      outcome = answer.copy();
    }

    void failed(Throwable why) {
      returned = System.nanoTime();
      failure = why;
    }

    @Nullable Outcome outcome() {
      return outcome;
    }

    @Nullable Throwable failure() {
      return failure;
    }

    /** Returns whether it was answered, by a decision or a failure. */
    boolean isOver() {
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

  /** Returns how many times everything had been settled before a moment. */
  int era(long nanos) {
    return (int) settled.stream().filter(moment -> moment - nanos < 0).count();
  }

  List<Call> calls() {
    return new ArrayList<>(calls);
  }

  Object slot(RateLimitKey key) {
    return slots.apply(key);
  }

  /** Returns how many acquisitions were asked for. */
  public int size() {
    return calls.size();
  }

  private final class Recorder implements StorageProvider {
    private final String node;
    private final StorageProvider store;

    Recorder(String node, StorageProvider store) {
      this.node = node;
      this.store = store;
    }

    @Override
    public String type() {
      return store.type();
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
      CompletionStage<Outcome> answer = store.acquire(acquisition);
      call.submitted = System.nanoTime();
      return answer.whenComplete(
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

    @Override
    public boolean refuseFromMemory(Acquisition acquisition, Outcome outcome) {
      return store.refuseFromMemory(acquisition, outcome);
    }

    @Override
    public StoreHealth health() {
      return store.health();
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
