package dev.redline.stores.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What happens beside the acquisitions, on a thread of its own: members are asked whether they have
 * the code of this store, and other nodes' resets and the health are polled every second.
 */
final class HazelcastMaintenance implements AutoCloseable {
  private static final Logger LOG = System.getLogger(HazelcastStore.class.getName());
  private static final long POLL_MILLIS = 1000;
  private static final Duration SILENCE = Duration.ofSeconds(5);
  private static final int PROBES = 5000;

  private static final RateLimitKey NOTHING =
      new RateLimitKey(
          new BucketLimits(
              OwnerKind.RULE, "-", List.of(RateLimitBand.of(1, 1, Duration.ofSeconds(1)))),
          "");

  private final HazelcastInstance instance;
  private final String target;
  private final ResetGenerations generations;
  private final CallReports reports;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "redline-hazelcast-maintenance");
            created.setDaemon(true);
            return created;
          });
  private volatile StoreHealth health;
  private volatile long polledNanos = System.nanoTime();
  private volatile @Nullable IMap<String, byte[]> buckets;
  private volatile @Nullable String missingCode;
  private volatile boolean closed;
  private boolean outageLogged;

  HazelcastMaintenance(
      HazelcastInstance instance,
      String target,
      ResetGenerations generations,
      CallReports reports) {
    this.instance = instance;
    this.target = target;
    this.generations = generations;
    this.reports = reports;
    this.health = StoreHealth.down("not connected to " + target + " yet");
  }

  @SuppressWarnings("FutureReturnValueIgnored") // poll handles every exception itself
  void start() {
    thread.scheduleWithFixedDelay(this::poll, 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  boolean awaitReady(Duration atMost) {
    try {
      return ready.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the map; null before it was reached, and after the store was closed. */
  @Nullable IMap<String, byte[]> buckets() {
    return closed ? null : buckets;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the failure of what is asked of a store that is not ready, or closed. */
  StoreException notReady() {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE, health().reason().orElse("the store is not ready"));
  }

  /** Returns why members cannot execute this store's code; null if they can. */
  @Nullable String missingCode() {
    return missingCode;
  }

  StoreHealth health() {
    if (closed) {
      // Also if a poll that was in progress at the close has set another one since.
      return StoreHealth.down("the store is closed");
    }
    StoreHealth last = health;
    Duration silent = Duration.ofNanos(System.nanoTime() - polledNanos);
    return last.up() && silent.compareTo(SILENCE) > 0
        ? StoreHealth.down(target + " has not replied for " + silent.toSeconds() + " s")
        : last;
  }

  private void poll() {
    try {
      long start = System.nanoTime();
      Map<String, Long> resets = instance.getMap(HazelcastStore.RESETS);
      resets.entrySet().forEach(reset -> generations.learn(reset.getKey(), reset.getValue()));
      IMap<String, byte[]> map = instance.getMap(HazelcastStore.BUCKETS);
      probe(map, "probe", "a member");
      if (ready.getCount() > 0) {
        probeOwners(map);
        buckets = map;
      }
      missingCode = null;
      up(Duration.ofNanos(System.nanoTime() - start));
    } catch (RuntimeException | Error e) {
      // The thread must go on, also if an observer throws or memory is short.
      down(e);
    }
  }

  /** Runs a processor without effect on each member that owns entries. */
  private void probeOwners(IMap<String, byte[]> map) {
    Set<Member> probed = new HashSet<>();
    long owners =
        instance.getCluster().getMembers().stream().filter(m -> !m.isLiteMember()).count();
    for (int i = 0; i < PROBES && probed.size() < owners; i++) {
      String key = "probe-" + i;
      Member owner = instance.getPartitionService().getPartition(key).getOwner();
      if (owner != null && probed.add(owner)) {
        probe(map, key, "the member " + owner.getAddress());
      }
    }
  }

  /** Shows that entries can be written, which split-brain protection may prevent at any time. */
  private void probe(IMap<String, byte[]> map, String key, String who) {
    try {
      map.executeOnKey(key, BucketProcessor.reset(NOTHING));
    } catch (RuntimeException e) {
      if (!lacksCode(e)) {
        throw e;
      }
      missingCode =
          who
              + " of "
              + target
              + " does not have the code of this store: add redline-stores-hazelcast and"
              + " redline-core, of the same version, to the class path of every member";
      throw new IllegalStateException(missingCode, e);
    }
  }

  private static boolean lacksCode(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      String text = String.valueOf(cause.getMessage());
      if (cause instanceof ClassNotFoundException
          || cause instanceof NoClassDefFoundError
          || (text.contains("ClassNotFound") && text.contains("dev.redline"))) {
        return true;
      }
    }
    return false;
  }

  private void up(Duration latency) {
    boolean back = !health.up() && ready.getCount() == 0;
    polledNanos = System.nanoTime();
    health =
        new StoreHealth(
            true,
            Optional.empty(),
            Optional.of(latency),
            Map.of("members", Integer.toString(instance.getCluster().getMembers().size())));
    if (ready.getCount() > 0) {
      LOG.log(Level.INFO, "connected to " + target);
      ready.countDown();
    } else if (back) {
      LOG.log(outageLogged ? Level.INFO : Level.DEBUG, target + " replies again");
      reports.recovered();
    }
    outageLogged = false;
    reports.alive();
  }

  /** Logs an outage once, unless the observer already has. */
  private void down(Throwable e) {
    String missing = missingCode;
    String why =
        missing != null ? missing : "not connected to " + target + ": " + EntryCalls.reason(e);
    boolean first = health.up() || (ready.getCount() > 0 && !outageLogged);
    health = StoreHealth.down(why);
    if (first && !closed) {
      outageLogged = !reports.away();
      LOG.log(outageLogged ? Level.WARNING : Level.DEBUG, why);
    }
    LOG.log(Level.DEBUG, why, e);
  }

  @Override
  public void close() {
    closed = true;
    thread.shutdownNow();
  }
}
