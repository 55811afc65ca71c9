package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of clients that keep acquisitions exact and quick. */
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

  /** Also if the configuration says otherwise: callers would be charged twice, or wait. */
  @Test
  void clientsRepeatNoCallAndLeaveBackupsToTheOwner(@TempDir Path folder) throws Exception {
    try (Clusters cluster = new Clusters(1)) {
      cluster.start(cluster.embedded());
      Path file =
          Files.writeString(
              folder.resolve("client.yaml"),
              """
              hazelcast-client:
                cluster-name: %s
                instance-name: %s
                backup-ack-to-client-enabled: true
                network:
                  redo-operation: true
                  cluster-members: [%s]
              """
                  .formatted(cluster.name(), cluster.name(), cluster.members()[0]));
      cluster.start(
          new HazelcastSettings(
              HazelcastSettings.Mode.CLIENT,
              Optional.of(file),
              HazelcastSettings.DEFAULT_CLUSTER_NAME,
              List.of(),
              Clusters.TIMEOUT));
      ClientConfig config =
          ((HazelcastClientProxy) HazelcastClient.getHazelcastClientByName(cluster.name()))
              .getClientConfig();
      assertThat(config.getNetworkConfig().isRedoOperation()).isFalse();
      assertThat(config.isBackupAckToClientEnabled()).isFalse();
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
