package dev.redline.stores.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.map.IMap;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.PendingCall;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the members that own callers' entries: acquisitions from one entry, on a thread that
 * may wait or on the caller's own, and refunds.
 */
final class EntryCalls implements CallThreads.Call<Acquisition, Outcome> {
  private static final Logger LOG = System.getLogger(HazelcastStore.class.getName());
  private static final int MAX_REFUNDS = 1024;
  private static final long SUSPICION_NANOS = 2_000_000_000L;

  private final ResetGenerations generations;
  private final DenyCache denials;
  private final CallReports reports;
  private final AtomicInteger refunds = new AtomicInteger();
  private final HazelcastInstance instance;
  private final HazelcastMaintenance maintenance;
  private final String target;
  private final boolean member;
  private final String here;
  private final long timeoutNanos;

  /** Until when no caller's thread calls Hazelcast itself, because such a call was slow. */
  private volatile long suspiciousUntilNanos = System.nanoTime();

  EntryCalls(
      HazelcastInstance instance,
      String target,
      Duration timeout,
      HazelcastMaintenance maintenance,
      ResetGenerations generations,
      DenyCache denials,
      CallReports reports) {
    this.instance = instance;
    this.target = target;
    this.maintenance = maintenance;
    this.generations = generations;
    this.denials = denials;
    this.reports = reports;
    this.timeoutNanos = timeout.toNanos();
    Member self = instance.getLocalEndpoint() instanceof Member local ? local : null;
    this.member = self != null;
    this.here = self == null ? "" : self.getAddress().toString();
  }

  /** Returns the members that own the entries of an acquisition. */
  List<String> nodes(Acquisition acquisition) {
    if (acquisition.size() == 1) {
      return List.of(node(acquisition));
    }
    Set<String> nodes = new TreeSet<>();
    for (int i = 0; i < acquisition.size(); i++) {
      nodes.add(node(CallerEntry.key(acquisition.key(i).identity())));
    }
    return List.copyOf(nodes);
  }

  @Override
  public String node(Acquisition first) {
    return node(CallerEntry.key(first.key(0).identity()));
  }

  private String node(String entryKey) {
    Member owner = owner(entryKey);
    return owner == null ? "" : owner.getAddress().toString();
  }

  private @Nullable Member owner(String entryKey) {
    try {
      return instance.getPartitionService().getPartition(entryKey).getOwner();
    } catch (RuntimeException e) {
      // A client that is not connected, or an instance that was shut down.
      return null;
    }
  }

  @Override
  public Object[] run(List<PendingCall<Acquisition, Outcome>> batch) {
    Acquisition acquisition = batch.get(0).request();
    IMap<String, byte[]> map = maintenance.buckets();
    if (map == null) {
      throw maintenance.notReady();
    }
    try {
      String entryKey = CallerEntry.key(acquisition.key(0).identity());
      return new Object[] {decide(map, entryKey, acquisition)};
    } catch (StoreException e) {
      if (!isOfEntry(e)) {
        throw e;
      }
      return new Object[] {e};
    }
  }

  /** Returns whether the member has replied, and only the entry is malformed. */
  private static boolean isOfEntry(StoreException failure) {
    return failure.kind() == StoreException.Kind.BAD_STATE;
  }

  /**
   * Acquires from one entry on the caller's thread if this member owns it: then only a backup can
   * keep the caller waiting. If that ever takes longer than an acquisition may take, callers'
   * threads are kept from it for a while.
   *
   * @return null if the caller has to use another thread
   */
  @Nullable Outcome acquireHere(Acquisition acquisition) {
    IMap<String, byte[]> map = maintenance.buckets();
    if (map == null || !member) {
      return null;
    }
    String entryKey = CallerEntry.key(acquisition.key(0).identity());
    long start = System.nanoTime();
    if (start - suspiciousUntilNanos < 0 || !isOwnedHere(entryKey)) {
      return null;
    }
    try {
      Outcome outcome = decide(map, entryKey, acquisition);
      reports.answered(here, System.nanoTime() - start);
      return outcome;
    } catch (RuntimeException e) {
      StoreException failure = failure(e);
      if (isOfEntry(failure)) {
        reports.answered(here, System.nanoTime() - start);
      } else {
        reports.failed(here, System.nanoTime() - start, failure);
      }
      throw failure;
    } finally {
      long end = System.nanoTime();
      if (end - start > timeoutNanos) {
        suspiciousUntilNanos = end + SUSPICION_NANOS;
      }
    }
  }

  private boolean isOwnedHere(String entryKey) {
    try {
      // Whether a member is alone is known sooner than the owner of an entry.
      if (instance.getCluster().getMembers().size() == 1) {
        return true;
      }
    } catch (HazelcastInstanceNotActiveException e) {
      return false;
    }
    Member owner = owner(entryKey);
    return owner != null && owner.localMember();
  }

  private Outcome decide(IMap<String, byte[]> map, String entryKey, Acquisition acquisition) {
    long[] known = generations.of(acquisition);
    long sentNanos = System.nanoTime();
    BucketProcessor processor = BucketProcessor.acquire(acquisition, known);
    Outcome outcome = processor.outcomeOf(map.executeOnKey(entryKey, processor));
    denials.learn(acquisition, i -> known[i], outcome, sentNanos, System.nanoTime());
    return outcome;
  }

  /**
   * Sends a refund, for which no caller waits.
   *
   * @param known the generations of the keys, from before they were acquired
   */
  void refund(Acquisition part, long[] known, Outcome taken) {
    if (refunds.incrementAndGet() > MAX_REFUNDS) {
      refunded(new RejectedExecutionException("too many refunds are in flight"));
      return;
    }
    try {
      IMap<String, byte[]> map = maintenance.buckets();
      if (map == null) {
        throw maintenance.notReady();
      }
      map.submitToKey(
              CallerEntry.key(part.key(0).identity()), BucketProcessor.refund(part, known, taken))
          .whenComplete((done, failure) -> refunded(failure));
    } catch (RuntimeException e) {
      // Such as an instance that was shut down. The denial that caused the refund stands.
      refunded(e);
    }
  }

  private void refunded(@Nullable Throwable failure) {
    refunds.decrementAndGet();
    if (failure != null) {
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: refund failed", failure);
    }
  }

  @Override
  public StoreException failure(Exception e) {
    return e instanceof StoreException known
        ? known
        : new StoreException(StoreException.Kind.UNAVAILABLE, target + ": " + reason(e), e);
  }

  /** Returns the messages of a failure and of its root cause, in one line. */
  static String reason(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String first = message(e);
    String last = message(root);
    return first.contains(last) ? first : first + ": " + last;
  }

  private static String message(Throwable e) {
    return e.getMessage() == null
        ? e.getClass().getSimpleName()
        : e.getMessage().replaceAll("\\s+", " ");
  }
}
