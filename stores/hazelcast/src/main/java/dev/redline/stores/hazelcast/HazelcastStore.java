package dev.redline.stores.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.PendingCall;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The store {@code HAZELCAST}: bucket state in a Hazelcast cluster, as a member of it or as a
 * client.
 *
 * <p>All buckets of one caller are one entry of a map. An entry processor decides them on the
 * member that owns the entry, by the cluster's time, with one synchronous backup. An acquisition is
 * sent at most once: one without a reply in time fails, and is never repeated because it may have
 * been taken. Continuations of the stages run on threads that are for them alone.
 */
public final class HazelcastStore implements RemoteStore {
  /** The map of the buckets; its name has the version of keys and values. */
  static final String BUCKETS = "redline-buckets-1";

  /** The map of the generations that resets have started. */
  static final String RESETS = "redline-resets-1";

  private static final Logger LOG = System.getLogger(HazelcastStore.class.getName());
  private static final int THREADS = 64;
  private static final int MAX_QUEUED = 10_000;
  private static final int MAX_REFUNDS = 1024;
  private static final Duration START = Duration.ofSeconds(5);
  private static final long SUSPICION_NANOS = 2_000_000_000L;

  private final ResetGenerations generations = new ResetGenerations();
  private final DenyCache denials = new DenyCache(generations::of);
  private final CallReports reports = new CallReports();
  private final AtomicInteger refunds = new AtomicInteger();
  private final HazelcastInstance instance;
  private final Runnable closing;
  private final String target;
  private final boolean member;
  private final String here;
  private final long timeoutNanos;
  private final HazelcastMaintenance maintenance;
  private final CallThreads<Acquisition, Outcome> calls;

  /** Until when no caller's thread calls Hazelcast itself, because such a call was slow. */
  private volatile long suspiciousUntilNanos = System.nanoTime();

  private HazelcastStore(HazelcastInstance instance, Duration timeout, Runnable closing) {
    this.instance = instance;
    this.closing = closing;
    this.member = instance.getLocalEndpoint() instanceof Member;
    this.target = "Hazelcast" + (member ? " cluster " + instance.getConfig().getClusterName() : "");
    this.here =
        instance.getLocalEndpoint() instanceof Member self ? self.getAddress().toString() : "";
    this.timeoutNanos = timeout.toNanos();
    this.maintenance = new HazelcastMaintenance(instance, target, generations, reports);
    this.calls =
        new CallThreads<>(
            new CallThreads.Settings(
                "redline-hazelcast", target, THREADS, THREADS, 1, MAX_QUEUED, timeout),
            new EntryCall(),
            reports);
  }

  /**
   * Starts a store with a member or client of its own, which leaves the cluster when the store is
   * closed. A cluster that a client cannot reach only delays the start, by at most 5 s; until then
   * acquisitions fail at once.
   *
   * @throws IllegalStateException if the members do not have the code of this store, or none of the
   *     listed members can be bound here
   */
  public static HazelcastStore start(HazelcastSettings settings) {
    HazelcastInstance instance = InstanceStarter.start(settings);
    try {
      return started(new HazelcastStore(instance, settings.timeout(), instance::shutdown));
    } catch (RuntimeException e) {
      instance.shutdown();
      throw e;
    }
  }

  /**
   * Starts a store on an instance of the application: a member or a client. Closing the store does
   * not shut it down.
   *
   * @throws IllegalStateException if the members do not have the code of this store
   */
  public static HazelcastStore start(HazelcastInstance instance, Duration timeout) {
    return started(new HazelcastStore(instance, timeout, () -> {}));
  }

  private static HazelcastStore started(HazelcastStore store) {
    store.maintenance.start();
    long deadline = System.nanoTime() + START.toNanos();
    while (!store.awaitReady(Duration.ofMillis(50)) && System.nanoTime() - deadline < 0) {
      String missing = store.maintenance.missingCode();
      if (missing != null) {
        store.stop();
        throw new IllegalStateException(missing);
      }
    }
    return store;
  }

  /** Waits until the cluster was reached; returns whether it was. */
  public boolean awaitReady(Duration atMost) {
    return maintenance.awaitReady(atMost);
  }

  @Override
  public String type() {
    return "hazelcast";
  }

  @Override
  public StoreHealth health() {
    return maintenance.health();
  }

  @Override
  public void observe(CallObserver observer) {
    reports.observe(observer);
  }

  @Override
  public Duration commandTimeout() {
    return Duration.ofNanos(timeoutNanos);
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    if (acquisition.size() == 1) {
      return List.of(node(CallerEntry.key(acquisition.key(0).identity())));
    }
    Set<String> nodes = new TreeSet<>();
    for (int i = 0; i < acquisition.size(); i++) {
      nodes.add(node(CallerEntry.key(acquisition.key(i).identity())));
    }
    return List.copyOf(nodes);
  }

  private String node(String entryKey) {
    Member owner = owner(entryKey);
    return owner == null ? "" : owner.getAddress().toString();
  }

  private @Nullable Member owner(String entryKey) {
    try {
      return instance.getPartitionService().getPartition(entryKey).getOwner();
    } catch (RuntimeException e) {
      // A client that is not connected.
      return null;
    }
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return denials.denyWhileStoreFails(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return denials.deny(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    CompletableFuture<Outcome> notReady = notReady();
    if (notReady != null) {
      return notReady;
    }
    return isOneEntry(acquisition) ? calls.submit(acquisition, false) : across(acquisition);
  }

  /** {@inheritDoc} The thread that called Hazelcast completes the stage. */
  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    CompletableFuture<Outcome> notReady = notReady();
    if (notReady != null) {
      return notReady;
    }
    return isOneEntry(acquisition) ? calls.submit(acquisition, true) : across(acquisition);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    IMap<String, byte[]> map = maintenance.buckets();
    if (map != null && member && isOneEntry(acquisition)) {
      String entryKey = CallerEntry.key(acquisition.key(0).identity());
      long now = System.nanoTime();
      if (now - suspiciousUntilNanos >= 0 && isOwnedHere(entryKey)) {
        return acquireHere(map, entryKey, acquisition, now);
      }
    }
    CompletableFuture<Outcome> notReady = notReady();
    CompletableFuture<Outcome> pending =
        notReady != null
            ? notReady
            : isOneEntry(acquisition) ? calls.submit(acquisition, true) : across(acquisition);
    try {
      return pending.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure
          ? failure
          : failure(e.getCause() == null ? e : e.getCause());
    }
  }

  private @Nullable CompletableFuture<Outcome> notReady() {
    return maintenance.buckets() != null
        ? null
        : CompletableFuture.failedFuture(
            new StoreException(
                StoreException.Kind.UNAVAILABLE,
                maintenance.health().reason().orElse("the store is not ready")));
  }

  private static boolean isOneEntry(Acquisition acquisition) {
    String identity = acquisition.key(0).identity();
    for (int i = 1; i < acquisition.size(); i++) {
      if (!acquisition.key(i).identity().equals(identity)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Calls the owner on the caller's thread, because it is this member: then only a backup can keep
   * the caller waiting. If that ever takes longer than an acquisition may take, callers' threads
   * are kept from it for a while.
   */
  private Outcome acquireHere(
      IMap<String, byte[]> map, String entryKey, Acquisition acquisition, long start) {
    try {
      Outcome outcome = decide(map, entryKey, acquisition);
      reports.answered(here, System.nanoTime() - start);
      return outcome;
    } catch (RuntimeException e) {
      StoreException failure = failure(e);
      reports.failed(here, System.nanoTime() - start, failure);
      throw failure;
    } finally {
      long end = System.nanoTime();
      if (end - start > timeoutNanos) {
        suspiciousUntilNanos = end + SUSPICION_NANOS;
      }
    }
  }

  private boolean isOwnedHere(String entryKey) {
    if (maintenance.isAlone()) {
      return true;
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

  private CompletableFuture<Outcome> across(Acquisition acquisition) {
    long deadline = calls.deadline();
    return new AcrossEntries(
            acquisition,
            new AcrossEntries.Parts() {
              @Override
              public CompletableFuture<Outcome> acquire(Acquisition part, boolean second) {
                return calls.submit(part, false, deadline, second);
              }

              @Override
              public void refund(Acquisition part, Outcome taken) {
                HazelcastStore.this.refund(part, taken);
              }
            })
        .acquire();
  }

  /** Sends a refund, for which no caller waits. */
  private void refund(Acquisition part, Outcome taken) {
    IMap<String, byte[]> map = maintenance.buckets();
    if (map == null || refunds.incrementAndGet() > MAX_REFUNDS) {
      refunds.decrementAndGet();
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: too many refunds are in flight");
      return;
    }
    map.submitToKey(
            CallerEntry.key(part.key(0).identity()),
            BucketProcessor.refund(part, generations.of(part), taken))
        .whenComplete(
            (done, failure) -> {
              refunds.decrementAndGet();
              if (failure != null) {
                LOG.log(Level.DEBUG, "tokens stay taken until refilled: refund failed", failure);
              }
            });
  }

  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    return async(
        () -> {
          IMap<String, Long> resets = instance.getMap(RESETS);
          for (String name : owners.stream().map(ResetGenerations::name).distinct().toList()) {
            generations.learn(name, newGeneration(resets, name));
          }
        });
  }

  private static long newGeneration(IMap<String, Long> resets, String name) {
    while (true) {
      long now = System.currentTimeMillis() * 1000;
      Long before = resets.putIfAbsent(name, now);
      if (before == null) {
        return now;
      }
      long next = Math.max(before + 1, now);
      if (resets.replace(name, before, next)) {
        return next;
      }
    }
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    return async(
        () -> {
          IMap<String, byte[]> map = instance.getMap(BUCKETS);
          map.executeOnKey(CallerEntry.key(key.identity()), BucketProcessor.reset(key));
          denials.forget(key);
        });
  }

  /** Does rare work that waits for Hazelcast, and whose continuations may block. */
  private CompletionStage<Void> async(Runnable work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (RuntimeException e) {
            throw failure(e);
          }
        },
        calls.continuations());
  }

  private StoreException failure(Throwable e) {
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

  private void stop() {
    maintenance.close();
    calls.close();
  }

  @Override
  public void close() {
    stop();
    closing.run();
  }

  /** A call of the member that owns an entry, on a thread that may wait for it. */
  private final class EntryCall implements CallThreads.Call<Acquisition, Outcome> {
    @Override
    public String node(Acquisition first) {
      return HazelcastStore.this.node(CallerEntry.key(first.key(0).identity()));
    }

    @Override
    public Object[] run(List<PendingCall<Acquisition, Outcome>> batch) {
      Acquisition acquisition = batch.get(0).request();
      IMap<String, byte[]> map = maintenance.buckets();
      if (map == null) {
        throw new IllegalStateException("the store is not ready");
      }
      try {
        String entryKey = CallerEntry.key(acquisition.key(0).identity());
        return new Object[] {decide(map, entryKey, acquisition)};
      } catch (StoreException badState) {
        return new Object[] {badState};
      }
    }

    @Override
    public StoreException failure(Exception e) {
      return HazelcastStore.this.failure(e);
    }
  }
}
