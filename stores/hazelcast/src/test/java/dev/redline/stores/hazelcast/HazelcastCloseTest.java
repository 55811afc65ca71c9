package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A store that is closed, on an instance of the application that stays open. */
class HazelcastCloseTest {
  private static final String CLOSED = "the store is closed";

  private static Clusters cluster;
  private static HazelcastInstance member;
  private static HazelcastInstance client;

  @BeforeAll
  static void start() {
    cluster = new Clusters(1);
    cluster.start(cluster.embedded());
    member = cluster.instances().get(0);
    ClientConfig config = new ClientConfig().setClusterName(cluster.name());
    config.getNetworkConfig().addAddress(cluster.members());
    client = HazelcastClient.newHazelcastClient(config);
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    cluster.close();
  }

  @Test
  void decidesNothingAfterItWasClosed() {
    for (HazelcastInstance instance : List.of(member, client)) {
      HazelcastStore store = HazelcastStore.start(instance, Clusters.TIMEOUT);
      RateLimitKey key = Clusters.key("closed", 2, instance.getName());
      Acquisition one = Acquisition.of(key, 1);
      Acquisition several =
          Acquisition.builder().take(key, 1).take(Clusters.key("all", 9, ""), 1).build();
      assertThat(Clusters.take(store, key)).isTrue();
      byte[] before = value(key);

      store.close();
      store.close();

      assertFails(() -> store.acquireAndWait(one));
      assertFails(() -> store.acquireAndWait(several));
      assertFails(store.acquire(one));
      assertFails(store.acquire(several));
      assertFails(store.acquireForEventLoop(one));
      assertFails(store.reset(key));
      assertFails(store.reset(List.of(key.limits())));
      assertThat(value(key)).isEqualTo(before);
      assertThat(member.getMap(HazelcastStore.RESETS).size()).isZero();
      assertThat(store.health().up()).isFalse();
      assertThat(store.health().reason()).contains(CLOSED);
      assertThat(instance.getLifecycleService().isRunning()).isTrue();
    }
  }

  @Test
  void deniesNothingFromItsCacheAfterItWasClosed() {
    HazelcastStore store = HazelcastStore.start(member, Clusters.TIMEOUT);
    RateLimitKey key = Clusters.key("cached", 2, "somebody");
    await()
        .until(
            () -> {
              Clusters.drain(store, key);
              return store.acquireNow(Acquisition.of(key, 1), new Outcome());
            });
    store.close();
    assertThat(store.acquireNow(Acquisition.of(key, 1), new Outcome())).isFalse();
  }

  /** The thread of the maintenance may still wait for a reply, and get it after the close. */
  @Test
  void staysDownIfAPollEndsAfterTheClose() throws Exception {
    CountDownLatch polling = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicReference<Thread> poller = new AtomicReference<>();
    HazelcastInstance slow =
        InstanceProxies.beforeGetMap(
            member,
            HazelcastStore.RESETS,
            () -> {
              poller.set(Thread.currentThread());
              polling.countDown();
              InstanceProxies.awaitUninterruptibly(release);
            });
    HazelcastMaintenance maintenance =
        new HazelcastMaintenance(slow, "Hazelcast", new ResetGenerations(), new CallReports());
    maintenance.start();
    assertThat(polling.await(30, TimeUnit.SECONDS)).isTrue();

    maintenance.close();
    release.countDown();

    poller.get().join(Duration.ofSeconds(30).toMillis());
    assertThat(poller.get().isAlive()).isFalse();
    assertThat(maintenance.health().up()).isFalse();
    assertThat(maintenance.health().reason()).contains(CLOSED);
    assertThat((Object) maintenance.buckets()).isNull();
  }

  @Test
  void failsIfTheApplicationShutsItsInstanceDown() {
    String name = "shut-down-" + cluster.name();
    HazelcastStore owner = HazelcastStore.start(HazelcastSettings.embedded().withClusterName(name));
    try (HazelcastStore store = HazelcastStore.start(instance(name), Clusters.TIMEOUT)) {
      RateLimitKey key = Clusters.key("r", 2, "somebody");
      assertThat(Clusters.take(store, key)).isTrue();
      owner.close();
      assertThatThrownBy(() -> Clusters.take(store, key))
          .isInstanceOf(StoreException.class)
          .extracting(e -> ((StoreException) e).kind())
          .isEqualTo(StoreException.Kind.UNAVAILABLE);
      assertThat(store.nodes(Acquisition.of(key, 1))).containsExactly("");
    }
  }

  private static HazelcastInstance instance(String clusterName) {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(one -> one.getConfig().getClusterName().equals(clusterName))
        .findFirst()
        .orElseThrow();
  }

  /** The denial that causes the refund is reported all the same. */
  @Test
  void leavesOutRefundsIfTheInstanceWasShutDown() {
    String name = "refunds-" + cluster.name();
    HazelcastStore other = HazelcastStore.start(HazelcastSettings.embedded().withClusterName(name));
    HazelcastInstance instance = instance(name);
    CallReports reports = new CallReports();
    ResetGenerations generations = new ResetGenerations();
    try (HazelcastMaintenance maintenance =
        new HazelcastMaintenance(instance, "Hazelcast", generations, reports)) {
      EntryCalls entries =
          new EntryCalls(
              instance,
              "Hazelcast",
              Clusters.TIMEOUT,
              maintenance,
              generations,
              new DenyCache(generations::of),
              reports);
      maintenance.start();
      assertThat(maintenance.awaitReady(Duration.ofSeconds(30))).isTrue();
      Acquisition acquisition = Acquisition.of(Clusters.key("refunded", 2, "somebody"), 1);
      Outcome taken = entries.acquireHere(acquisition);
      other.close();
      entries.refund(acquisition, new long[1], taken);
    }
  }

  private static byte[] value(RateLimitKey key) {
    return member
        .<String, byte[]>getMap(HazelcastStore.BUCKETS)
        .get(CallerEntry.key(key.identity()));
  }

  private static void assertFails(Runnable acquisition) {
    assertThatThrownBy(acquisition::run)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(CLOSED)
        .extracting(e -> ((StoreException) e).kind())
        .isEqualTo(StoreException.Kind.UNAVAILABLE);
  }

  private static void assertFails(CompletionStage<?> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    assertFails(
        () -> {
          try {
            stage.toCompletableFuture().join();
          } catch (CompletionException e) {
            throw e.getCause() instanceof StoreException failure ? failure : e;
          }
        });
  }
}
