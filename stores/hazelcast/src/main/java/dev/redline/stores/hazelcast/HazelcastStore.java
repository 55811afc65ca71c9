package dev.redline.stores.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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

  private static final int THREADS = 64;
  private static final int MAX_QUEUED = 10_000;
  private static final Duration START = Duration.ofSeconds(5);

  private final ResetGenerations generations = new ResetGenerations();
  private final DenyCache denials = new DenyCache(generations::of);
  private final CallReports reports = new CallReports();
  private final HazelcastInstance instance;
  private final Runnable closing;
  private final Duration timeout;
  private final HazelcastMaintenance maintenance;
  private final EntryCalls entries;
  private final CallThreads<Acquisition, Outcome> calls;

  private HazelcastStore(HazelcastInstance instance, Duration timeout, Runnable closing) {
    this.instance = instance;
    this.closing = closing;
    this.timeout = timeout;
    String target =
        instance.getLocalEndpoint() instanceof Member
            ? "Hazelcast cluster " + instance.getConfig().getClusterName()
            : "Hazelcast";
    this.maintenance = new HazelcastMaintenance(instance, target, generations, reports);
    this.entries =
        new EntryCalls(instance, target, timeout, maintenance, generations, denials, reports);
    this.calls =
        new CallThreads<>(
            new CallThreads.Settings(
                "redline-hazelcast", target, THREADS, THREADS, 1, MAX_QUEUED, timeout),
            entries,
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
    return timeout;
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    return entries.nodes(acquisition);
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return denials.denyWhileStoreFails(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return maintenance.buckets() != null && denials.deny(acquisition, outcome);
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
    Outcome here = isOneEntry(acquisition) ? entries.acquireHere(acquisition) : null;
    if (here != null) {
      return here;
    }
    CompletableFuture<Outcome> notReady = notReady();
    CompletableFuture<Outcome> pending =
        notReady != null
            ? notReady
            : isOneEntry(acquisition) ? calls.submit(acquisition, true) : across(acquisition);
    try {
      return pending.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : entries.failure(e);
    }
  }

  private @Nullable CompletableFuture<Outcome> notReady() {
    return maintenance.buckets() != null
        ? null
        : CompletableFuture.failedFuture(maintenance.notReady());
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

  private CompletableFuture<Outcome> across(Acquisition acquisition) {
    long deadline = calls.deadline();
    return new AcrossEntries(
            acquisition,
            new AcrossEntries.Parts() {
              @Override
              public long[] generations(Acquisition whole) {
                return generations.of(whole);
              }

              @Override
              public CompletableFuture<Outcome> acquire(Acquisition part, boolean second) {
                return calls.submit(part, false, deadline, second);
              }

              @Override
              public void refund(Acquisition part, long[] generations, Outcome taken) {
                entries.refund(part, generations, taken);
              }
            })
        .acquire();
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
          String entryKey = CallerEntry.key(key.identity());
          if (BucketProcessor.isMalformed(map.executeOnKey(entryKey, BucketProcessor.reset(key)))) {
            // It may never expire, and no bucket in it can be used.
            map.delete(entryKey);
          }
          denials.forget(key);
        });
  }

  /** Does rare work that waits for Hazelcast, and whose continuations may block. */
  private CompletionStage<Void> async(Runnable work) {
    if (maintenance.isClosed()) {
      return CompletableFuture.failedFuture(maintenance.notReady());
    }
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (RuntimeException e) {
            throw entries.failure(e);
          }
        },
        calls.continuations());
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
}
