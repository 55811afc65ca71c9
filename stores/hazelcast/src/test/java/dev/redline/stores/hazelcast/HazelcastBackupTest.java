package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a backup holds, once its owner is gone. */
@Tag("faults")
class HazelcastBackupTest {
  @Test
  void backupHasTheStateAndTheExpiryOfTheEntry() {
    try (Clusters cluster = new Clusters(2)) {
      cluster.start(cluster.embedded());
      HazelcastStore survivor = cluster.start(cluster.embedded());
      cluster.awaitSafe();
      List<HazelcastInstance> members = cluster.instances();
      String survivorPort = cluster.members()[1].replaceFirst(".*:", "");
      HazelcastInstance staying = member(members, survivorPort, true);
      HazelcastInstance leaving = member(members, survivorPort, false);
      String identity =
          IntStream.range(0, 1000)
              .mapToObj(i -> "caller-" + i)
              .filter(
                  each ->
                      leaving
                          .getPartitionService()
                          .getPartition(CallerEntry.key(each))
                          .getOwner()
                          .localMember())
              .findFirst()
              .orElseThrow();
      RateLimitKey key = Clusters.key("two", 2, identity);
      assertThat(Clusters.take(survivor, key)).isTrue();

      leaving.getLifecycleService().terminate();

      await().until(() -> Clusters.size(staying) == 1);
      IMap<String, byte[]> buckets = staying.getMap(HazelcastStore.BUCKETS);
      assertThat(buckets.getEntryView(CallerEntry.key(identity)).getTtl())
          .isBetween(Duration.ofMinutes(59).toMillis(), Duration.ofMinutes(61).toMillis());
      assertThat(Clusters.drain(survivor, key)).isEqualTo(1);
    }
  }

  private static HazelcastInstance member(
      List<HazelcastInstance> members, String port, boolean equal) {
    return members.stream()
        .filter(
            one ->
                Integer.toString(one.getCluster().getLocalMember().getAddress().getPort())
                        .equals(port)
                    == equal)
        .findFirst()
        .orElseThrow();
  }
}
