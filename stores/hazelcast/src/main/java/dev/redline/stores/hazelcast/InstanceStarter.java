package dev.redline.stores.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.ClientConnectionStrategyConfig.ReconnectMode;
import com.hazelcast.client.config.XmlClientConfigBuilder;
import com.hazelcast.client.config.YamlClientConfigBuilder;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Starts the member or client of a store's own. */
final class InstanceStarter {
  private static final int DEFAULT_PORT = 5701;

  /** What a member needs; a configuration file can say otherwise. */
  private static final Map<String, String> MEMBER_PROPERTIES =
      Map.of(
          "hazelcast.phone.home.enabled", "false",
          // An acquisition whose owner dies fails. Hazelcast would repeat it, and charge twice.
          "hazelcast.operation.fail.on.indeterminate.state", "true",
          // How long a caller waits for an entry that moves.
          "hazelcast.invocation.retry.pause.millis", "50",
          "hazelcast.max.no.heartbeat.seconds", "10",
          "hazelcast.heartbeat.interval.seconds", "1",
          "hazelcast.wait.seconds.before.join", "1",
          "hazelcast.merge.first.run.delay.seconds", "30",
          "hazelcast.merge.next.run.delay.seconds", "30",
          // The store leaves the cluster when it is closed.
          "hazelcast.shutdownhook.enabled", "false");

  private static final long MIN_BACKUP_MILLIS = 250;

  private static final Map<String, String> CLIENT_PROPERTIES =
      Map.of(
          "hazelcast.client.invocation.timeout.seconds", "1",
          "hazelcast.client.statistics.enabled", "false");

  private InstanceStarter() {}

  static HazelcastInstance start(HazelcastSettings settings) {
    return switch (settings.mode()) {
      case EMBEDDED -> startMember(settings);
      case CLIENT -> HazelcastClient.newHazelcastClient(clientConfig(settings));
    };
  }

  private static HazelcastInstance startMember(HazelcastSettings settings) {
    if (settings.config().isPresent()) {
      Config config = memberConfig(settings.config().get());
      return Hazelcast.newHazelcastInstance(withDefaults(config, settings.timeout()));
    }
    if (settings.members().isEmpty()) {
      return Hazelcast.newHazelcastInstance(
          memberConfig(settings, InetAddress.getLoopbackAddress(), DEFAULT_PORT, true));
    }
    for (String member : settings.members()) {
      InetSocketAddress address = address(member);
      if (isLocal(address) && isFree(address)) {
        try {
          return Hazelcast.newHazelcastInstance(
              memberConfig(settings, address.getAddress(), address.getPort(), false));
        } catch (RuntimeException e) {
          if (!isPortTaken(e)) {
            throw e;
          }
          // Another process was faster.
        }
      }
    }
    throw new IllegalStateException(
        "none of the members "
            + settings.members()
            + " is an address of this machine with a free port; list the address of this member");
  }

  private static InetSocketAddress address(String member) {
    int colon = member.lastIndexOf(':');
    return colon < 0
        ? new InetSocketAddress(member, DEFAULT_PORT)
        : new InetSocketAddress(
            member.substring(0, colon), Integer.parseInt(member.substring(colon + 1)));
  }

  private static boolean isLocal(InetSocketAddress address) {
    try {
      return !address.isUnresolved()
          && (address.getAddress().isLoopbackAddress()
              || NetworkInterface.getByInetAddress(address.getAddress()) != null);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isFree(InetSocketAddress address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isPortTaken(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("ServerSocket bind has failed")) {
        return true;
      }
    }
    return false;
  }

  private static Config memberConfig(Path file) {
    try {
      return Config.loadFromFile(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("the Hazelcast configuration " + file + " cannot be read", e);
    }
  }

  private static Config memberConfig(
      HazelcastSettings settings, InetAddress address, int port, boolean anyPort) {
    Config config = new Config();
    config.setClusterName(settings.clusterName());
    config.setProperty("hazelcast.socket.bind.any", "false");
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(port).setPortAutoIncrement(anyPort);
    network.getInterfaces().setEnabled(true).addInterface(address.getHostAddress());
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(!settings.members().isEmpty());
    join.getTcpIpConfig().setMembers(settings.members());
    return withDefaults(config, settings.timeout());
  }

  private static Config withDefaults(Config config, Duration timeout) {
    MEMBER_PROPERTIES.forEach((name, value) -> setIfAbsent(config.getProperties(), name, value));
    // How long a caller waits for a backup. A shorter time would fail calls that have time left.
    setIfAbsent(
        config.getProperties(),
        "hazelcast.operation.backup.timeout.millis",
        Long.toString(Math.max(MIN_BACKUP_MILLIS, timeout.toMillis())));
    useSlf4j(config.getProperties());
    MapConfig map = config.findMapConfig(HazelcastStore.BUCKETS);
    if (!map.getName().startsWith("redline")) {
      config.addMapConfig(
          new MapConfig(HazelcastStore.BUCKETS)
              .setBackupCount(1)
              .setAsyncBackupCount(0)
              // Values are only used by processors, which need no copy of them.
              .setInMemoryFormat(InMemoryFormat.OBJECT)
              .setStatisticsEnabled(false));
    }
    return config;
  }

  private static ClientConfig clientConfig(HazelcastSettings settings) {
    ClientConfig config;
    if (settings.config().isPresent()) {
      config = clientConfig(settings.config().get());
    } else {
      config = new ClientConfig();
      config.setClusterName(settings.clusterName());
      config.getNetworkConfig().setAddresses(List.copyOf(settings.members()));
      // A cluster that is absent delays the start only a little.
      config
          .getConnectionStrategyConfig()
          .setAsyncStart(true)
          .setReconnectMode(ReconnectMode.ASYNC);
      config
          .getConnectionStrategyConfig()
          .getConnectionRetryConfig()
          .setClusterConnectTimeoutMillis(-1)
          .setInitialBackoffMillis(100)
          .setMaxBackoffMillis(1000);
    }
    // A call that may have been executed is not repeated.
    config.getNetworkConfig().setRedoOperation(false);
    // The owner waits for the backup. Else its member confirms it to the client, which waits for
    // 5 s if it is not connected to that member: for example while that one joins.
    config.setBackupAckToClientEnabled(false);
    CLIENT_PROPERTIES.forEach((name, value) -> setIfAbsent(config.getProperties(), name, value));
    useSlf4j(config.getProperties());
    return config;
  }

  private static ClientConfig clientConfig(Path file) {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return file.toString().endsWith(".xml")
          ? new XmlClientConfigBuilder(in).build()
          : new YamlClientConfigBuilder(in).build();
    } catch (IOException e) {
      throw new UncheckedIOException("the Hazelcast configuration " + file + " cannot be read", e);
    }
  }

  private static void setIfAbsent(Properties properties, String name, String value) {
    if (properties.getProperty(name) == null && System.getProperty(name) == null) {
      properties.setProperty(name, value);
    }
  }

  /** Makes Hazelcast log where the application does, if that is SLF4J. */
  private static void useSlf4j(Properties properties) {
    try {
      Class.forName("org.slf4j.LoggerFactory", false, InstanceStarter.class.getClassLoader());
      setIfAbsent(properties, "hazelcast.logging.type", "slf4j");
    } catch (ClassNotFoundException e) {
      // java.util.logging, the default
    }
  }
}
