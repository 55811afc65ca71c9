package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A cluster whose map of buckets needs two members. */
class SplitBrainProtectionTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final String name = "protected-" + UUID.randomUUID();

  private HazelcastInstance start(String... peers) {
    Config config = new Config().setClusterName(name);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "1");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true);
    for (String peer : peers) {
      join.getTcpIpConfig().addMember(peer);
    }
    config.addSplitBrainProtectionConfig(new SplitBrainProtectionConfig("two", true, 2));
    config.addMapConfig(new MapConfig(HazelcastStore.BUCKETS).setSplitBrainProtectionName("two"));
    return Hazelcast.newHazelcastInstance(config);
  }

  private static String address(HazelcastInstance member) {
    return "127.0.0.1:" + member.getCluster().getLocalMember().getAddress().getPort();
  }

  @Test
  void isAStoreFailureThatHealthShows() {
    HazelcastInstance staying = start();
    RateLimitKey key = Clusters.key("r", 100, "somebody");
    try (HazelcastStore store = HazelcastStore.start(staying, Clusters.TIMEOUT)) {
      assertProtected(store, key);

      HazelcastInstance other = start(address(staying));
      await().atMost(LONG).until(() -> store.health().up());
      assertThat(Clusters.take(store, key)).isTrue();

      other.shutdown();
      await().atMost(LONG).until(() -> !store.health().up());
      assertProtected(store, key);

      HazelcastInstance another = start(address(staying));
      await().atMost(LONG).until(() -> store.health().up());
      assertThat(Clusters.take(store, key)).isTrue();
      another.shutdown();
    } finally {
      staying.shutdown();
    }
  }

  private static void assertProtected(HazelcastStore store, RateLimitKey key) {
    assertThatThrownBy(() -> Clusters.take(store, key))
        .isInstanceOf(StoreException.class)
        .extracting(e -> ((StoreException) e).kind())
        .isEqualTo(StoreException.Kind.UNAVAILABLE);
    assertThat(store.health().up()).isFalse();
    assertThat(store.health().reason().orElseThrow()).containsIgnoringCase("split brain");
  }
}
