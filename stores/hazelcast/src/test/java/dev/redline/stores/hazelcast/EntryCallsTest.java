package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class EntryCallsTest {
  /** A caller's thread must not wait for another member, which may hang. */
  @Test
  void callsNoOtherMemberOnTheCallersThreadWhileThePollHangs() {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch polled = new CountDownLatch(1);
    ResetGenerations generations = new ResetGenerations();
    CallReports reports = new CallReports();
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
      try (HazelcastMaintenance maintenance =
          new HazelcastMaintenance(slow, "Hazelcast", generations, reports)) {
        EntryCalls entries =
            new EntryCalls(
                alone,
                "Hazelcast",
                Clusters.TIMEOUT,
                maintenance,
                generations,
                new DenyCache(generations::of),
                reports);
        maintenance.start();
        assertThat(maintenance.awaitReady(Duration.ofSeconds(30))).isTrue();
        assertThat(entries.acquireHere(acquisition("before"))).isNotNull();

        cluster.start(cluster.embedded());
        cluster.awaitSafe();

        for (int i = 0; i < 20; i++) {
          String identity = "caller-" + i;
          boolean here =
              alone
                  .getPartitionService()
                  .getPartition(CallerEntry.key(identity))
                  .getOwner()
                  .localMember();
          Outcome outcome = entries.acquireHere(acquisition(identity));
          assertThat(outcome != null).as(identity).isEqualTo(here);
        }
      } finally {
        release.countDown();
      }
    }
  }

  private static Acquisition acquisition(String identity) {
    return Acquisition.of(Clusters.key("r", 5, identity), 1);
  }
}
