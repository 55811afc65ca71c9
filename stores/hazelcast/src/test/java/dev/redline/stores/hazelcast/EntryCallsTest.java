package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Which member is called for an acquisition, and on which thread. */
class EntryCallsTest {
  private final ResetGenerations generations = new ResetGenerations();
  private final CallReports reports = new CallReports();

  private EntryCalls entries(
      HazelcastInstance instance, HazelcastMaintenance maintenance, Duration timeout) {
    maintenance.start();
    assertThat(maintenance.awaitReady(Duration.ofSeconds(30))).isTrue();
    return new EntryCalls(
        instance,
        "Hazelcast",
        timeout,
        maintenance,
        generations,
        new DenyCache(generations::of),
        reports);
  }

  private HazelcastMaintenance maintenance(HazelcastInstance instance) {
    return new HazelcastMaintenance(instance, "Hazelcast", generations, reports);
  }

  private static Acquisition acquisition(String identity) {
    return Acquisition.of(Clusters.key("r", 5, identity), 1);
  }

  private static String owner(HazelcastInstance instance, String identity) {
    return instance
        .getPartitionService()
        .getPartition(CallerEntry.key(identity))
        .getOwner()
        .getAddress()
        .toString();
  }

  /** A caller's thread must not wait for another member, which may hang. */
  @Test
  void callsNoOtherMemberOnTheCallersThreadWhileThePollHangs() {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch polled = new CountDownLatch(1);
    try (Clusters cluster = new Clusters(2)) {
      cluster.start(cluster.embedded());
      HazelcastInstance alone = cluster.instances().get(0);
      HazelcastInstance slow =
          InstanceProxies.beforeGetMap(
              alone,
              HazelcastStore.RESETS,
              () -> {
                if (polled.getCount() == 0) {
                  InstanceProxies.awaitUninterruptibly(release);
                }
                polled.countDown();
              });
      try (HazelcastMaintenance maintenance = maintenance(slow)) {
        EntryCalls entries = entries(alone, maintenance, Clusters.TIMEOUT);
        assertThat(entries.acquireHere(acquisition("before"))).isNotNull();

        cluster.start(cluster.embedded());
        cluster.awaitSafe();

        String here = alone.getCluster().getLocalMember().getAddress().toString();
        for (int i = 0; i < 20; i++) {
          String identity = "caller-" + i;
          Outcome outcome = entries.acquireHere(acquisition(identity));
          assertThat(outcome != null).as(identity).isEqualTo(owner(alone, identity).equals(here));
        }
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () -> {
                  assertThat(maintenance.health().up()).isFalse();
                  assertThat(maintenance.health().reason().orElseThrow())
                      .contains("has not replied for");
                });
      } finally {
        release.countDown();
      }
    }
  }

  @Test
  void namesTheOwnersOfAllEntries() {
    try (Clusters cluster = new Clusters(2)) {
      HazelcastStore store = cluster.start(cluster.embedded());
      cluster.start(cluster.embedded());
      cluster.awaitSafe();
      HazelcastInstance member = cluster.instances().get(0);
      String one = "caller-0";
      int i = 1;
      while (owner(member, "caller-" + i).equals(owner(member, one))) {
        i++;
      }
      String other = "caller-" + i;
      Acquisition both = acquisition(one).toBuilder().take(Clusters.key("r", 5, other), 1).build();
      assertThat(store.nodes(acquisition(one))).containsExactly(owner(member, one));
      assertThat(store.nodes(both))
          .containsExactlyInAnyOrder(owner(member, one), owner(member, other));
    }
  }

  /** A lock on the entry stands for a backup that hangs. */
  @Test
  void keepsCallersThreadsFromAMemberThatWasSlow() throws Exception {
    List<String> answered = new CopyOnWriteArrayList<>();
    reports.observe(new Answers(answered));
    try (Clusters cluster = new Clusters(1)) {
      cluster.start(cluster.embedded());
      HazelcastInstance member = cluster.instances().get(0);
      String here = member.getCluster().getLocalMember().getAddress().toString();
      IMap<String, byte[]> buckets = member.getMap(HazelcastStore.BUCKETS);
      try (HazelcastMaintenance maintenance = maintenance(member)) {
        Duration timeout = Duration.ofSeconds(2);
        EntryCalls entries = entries(member, maintenance, timeout);
        assertThat(entries.acquireHere(acquisition("quick"))).isNotNull();
        assertThat(entries.acquireHere(acquisition("quick"))).isNotNull();
        assertThat(answered).containsExactly(here, here);

        String locked = CallerEntry.key("locked");
        buckets.lock(locked);
        long start = System.nanoTime();
        CompletableFuture<List<Boolean>> slow =
            CompletableFuture.supplyAsync(
                () ->
                    List.of(
                        entries.acquireHere(acquisition("locked")) != null,
                        entries.acquireHere(acquisition("quick")) != null));
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> System.nanoTime() - start > timeout.multipliedBy(2).toNanos());
        assertThat(slow).isNotDone();
        buckets.unlock(locked);
        assertThat(slow.join()).containsExactly(true, false);
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> entries.acquireHere(acquisition("quick")) != null);
      }
    }
  }

  private record Answers(List<String> nodes) implements CallObserver {
    @Override
    public void answered(String node, long nanos) {
      nodes.add(node);
    }

    @Override
    public void failed(String node, long nanos, StoreException failure) {}

    @Override
    public void recovered() {}
  }
}
