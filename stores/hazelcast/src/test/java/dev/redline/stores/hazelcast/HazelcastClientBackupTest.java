package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HazelcastClientBackupTest {
  /**
   * A member that has just joined has backups before clients are connected to it. Here they never
   * are, because nothing listens at the address that it publishes.
   */
  @Test
  void clientsNeedNoConnectionToTheMemberThatHasTheBackup() {
    try (Clusters cluster = new Clusters(3)) {
      String reachable = cluster.members()[0];
      String unused = cluster.members()[2];
      cluster.start(HazelcastSettings.embedded(reachable).withClusterName(cluster.name()));
      HazelcastInstance hidden =
          Hazelcast.newHazelcastInstance(hidden(cluster.name(), reachable, unused));
      try {
        await().atMost(Duration.ofSeconds(60)).until(() -> Clusters.size(hidden) == 2);
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> hidden.getPartitionService().isClusterSafe());
        HazelcastStore client =
            cluster.start(
                HazelcastSettings.client(reachable)
                    .withClusterName(cluster.name())
                    .withTimeout(Duration.ofSeconds(3)));
        for (int i = 0; i < 50; i++) {
          assertThat(Clusters.take(client, Clusters.key("r", 5, "caller-" + i))).isTrue();
        }
      } finally {
        hidden.shutdown();
      }
    }
  }

  private static Config hidden(String clusterName, String peer, String publicAddress) {
    Config config = new Config().setClusterName(clusterName);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().setPublicAddress(publicAddress);
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember(peer);
    return config;
  }
}
