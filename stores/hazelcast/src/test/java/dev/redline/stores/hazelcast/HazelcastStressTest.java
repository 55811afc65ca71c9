package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.internal.StoreLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads on stores that are closed, reset, or whose callers are virtual threads. */
@Tag("stress")
class HazelcastStressTest {
  private static final BucketLimits ALL =
      StoreLoad.rule("all", RateLimitBand.of(100, 300, Duration.ofSeconds(1)));
  private static final BucketLimits OWN =
      StoreLoad.rule("own", RateLimitBand.of(10, 30, Duration.ofSeconds(1)));

  /** Acquires from one caller, or from one caller and all callers. */
  private static Acquisition someAcross(SplittableRandom random) {
    Acquisition one = Acquisition.of(new RateLimitKey(OWN, "caller-" + random.nextInt(9)), 1);
    return random.nextBoolean() ? one : one.toBuilder().take(new RateLimitKey(ALL, ""), 1).build();
  }

  /** Acquires from one or two buckets of one caller. */
  private static Acquisition ofOneCaller(SplittableRandom random) {
    String caller = "caller-" + random.nextInt(9);
    Acquisition one = Acquisition.of(new RateLimitKey(OWN, caller), 1);
    return random.nextBoolean()
        ? one
        : one.toBuilder().take(new RateLimitKey(ALL, caller), 1).build();
  }

  @Test
  void everyCallerIsAnsweredWhenAStoreIsClosed() {
    try (Clusters cluster = new Clusters(2)) {
      cluster.start(cluster.embedded());
      HazelcastInstance member = cluster.instances().get(0);
      ClientConfig config = new ClientConfig().setClusterName(cluster.name());
      config.getNetworkConfig().addAddress(cluster.members());
      HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
      try {
        closeUnderLoad(HazelcastStore.start(member, Clusters.TIMEOUT));
        closeUnderLoad(HazelcastStore.start(client, Clusters.TIMEOUT));
        closeUnderLoad(HazelcastStore.start(cluster.client()));
        closeUnderLoad(HazelcastStore.start(cluster.embedded()));
        assertThat(member.getLifecycleService().isRunning()).isTrue();
        assertThat(client.getLifecycleService().isRunning()).isTrue();
      } finally {
        client.shutdown();
      }
    }
  }

  private static void closeUnderLoad(HazelcastStore store) {
    try (StoreLoad load = new StoreLoad(List.of(store), 16, HazelcastStressTest::someAcross)) {
      load.awaitDecisions(500);
      store.close();
      long decided = load.decided();
      long failed = load.failed();
      await().until(() -> load.failed() > failed + 200);
      // Those that were decided while the store was closed.
      assertThat(load.decided() - decided).isLessThanOrEqualTo(16);
      assertThat(load.failures().keySet()).anyMatch(why -> why.contains("the store is closed"));
    }
  }

  @Test
  void decidesExactlyWhileOwnersAreReset() throws Exception {
    try (Clusters cluster = new Clusters(2)) {
      List<HazelcastStore> stores =
          List.of(cluster.start(cluster.embedded()), cluster.start(cluster.embedded()));
      cluster.awaitSafe();
      History history = History.acrossSlots(key -> CallerEntry.key(key.identity()));
      List<StorageProvider> nodes =
          List.of(
              history.record("a", new Uncached(stores.get(0))),
              history.record("b", new Uncached(stores.get(1))));
      // Of the same owner, and allowed again only when a node knows of the reset.
      RateLimitKey canary = Clusters.key("own", 1, "canary");
      try (StoreLoad load = new StoreLoad(nodes, 8, HazelcastStressTest::ofOneCaller)) {
        for (int i = 0; i < 5; i++) {
          Clusters.drain(stores.get(0), canary);
          load.awaitDecisions(300);
          try (History.Span reset = history.resetting(OwnerKind.RULE, "own")) {
            stores.get(i % 2).reset(List.of(OWN)).toCompletableFuture().get(10, TimeUnit.SECONDS);
            HazelcastStore other = stores.get((i + 1) % 2);
            await().until(() -> Clusters.take(other, canary));
          }
        }
        assertThat(load.failures()).isEmpty();
      }
      System.out.println("resets: " + HistoryChecker.check(history));
    }
  }

  @Test
  void virtualThreadsGetExactlyTheCapacity() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
    try (Clusters cluster = new Clusters(2)) {
      List<HazelcastStore> stores =
          List.of(
              cluster.start(cluster.embedded()),
              cluster.start(cluster.embedded()),
              cluster.start(cluster.client()));
      cluster.awaitSafe();
      RateLimitKey key = Clusters.key("virtual", 500, "somebody");
      ExecutorService threads =
          (ExecutorService)
              Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        HazelcastStore store = stores.get(i % stores.size());
        results.add(threads.submit(() -> Clusters.take(store, key)));
      }
      int allowed = 0;
      for (Future<Boolean> result : results) {
        allowed += result.get(60, TimeUnit.SECONDS) ? 1 : 0;
      }
      threads.shutdown();
      assertThat(allowed).isEqualTo(500);
    }
  }

  /** A store without its deny cache, which may deny for a second after another node's reset. */
  private static final class Uncached extends ForwardingStore {
    private final StorageProvider store;

    Uncached(StorageProvider store) {
      this.store = store;
    }

    @Override
    protected StorageProvider delegate() {
      return store;
    }

    @Override
    public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
      return false;
    }
  }
}
