package dev.redline.redis.internal;

import dev.redline.redis.RedisConnectionSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Lettuce clients of one Redis: a client of a single server or Sentinel, and a cluster client
 * once a cluster is detected. TLS, credentials, time-outs and reconnecting are set up here and
 * nowhere else.
 *
 * <p>Commands are rejected while a single server is disconnected, and reconnecting replays nothing:
 * a command is sent at most once. Thread-safe; only {@link #connect} and {@link #close} block.
 */
public final class RedisClients implements AutoCloseable {
  /** The shortest time between two requests for the topology of a cluster. */
  public static final Duration TOPOLOGY_REFRESH_PAUSE = Duration.ofMillis(250);

  private static final Duration TOPOLOGY_REFRESH_PERIOD = Duration.ofSeconds(5);
  private static final Duration SHUTDOWN = Duration.ofSeconds(1);
  private static final int REQUEST_QUEUE = 4096;

  private final RedisConnectionSettings settings;
  private final ClientTuning tuning;
  private final List<RedisURI> nodes;
  private final HashedWheelTimer timer;
  private final ClientResources resources;
  private final RedisClient client;
  private volatile RedisURI connected;
  private volatile @Nullable RedisClusterClient clusterClient;

  /** Creates the clients; nothing is connected yet. */
  public RedisClients(RedisConnectionSettings settings, ClientTuning tuning) {
    this.settings = settings;
    this.tuning = tuning;
    this.nodes = RedisUris.nodes(settings.uri(), settings.clusterNodes());
    nodes.forEach(node -> node.setTimeout(settings.connectTimeout()));
    this.connected = nodes.get(0);
    this.timer =
        new HashedWheelTimer(
            new DefaultThreadFactory("redline-redis-timer", true),
            tuning.timerTick().toMillis(),
            TimeUnit.MILLISECONDS);
    this.resources =
        DefaultClientResources.builder()
            .timer(timer)
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .nettyCustomizer(tuning.channels())
            .reconnectDelay(
                () ->
                    Delay.fullJitter(
                        Duration.ofMillis(50), Duration.ofMillis(500), 50, TimeUnit.MILLISECONDS))
            .build();
    this.client = RedisClient.create(resources, nodes.get(0));
    client.setOptions(options(ClientOptions.builder()).build());
  }

  private <B extends ClientOptions.Builder> B options(B builder) {
    builder
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .autoReconnect(true)
        .requestQueueSize(REQUEST_QUEUE)
        .timeoutOptions(tuning.timeouts())
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                .tcpNoDelay(true)
                // A subscriber sends nothing, so only keep-alive detects that its server is gone.
                .keepAlive(
                    SocketOptions.KeepAliveOptions.builder()
                        .enable(true)
                        .idle(Duration.ofSeconds(10))
                        .interval(Duration.ofSeconds(5))
                        .count(3)
                        .build())
                .build());
    settings
        .caFile()
        .ifPresent(
            file -> builder.sslOptions(SslOptions.builder().trustManager(file.toFile()).build()));
    return builder;
  }

  /**
   * Connects to the first node that accepts a connection and, if it belongs to a cluster, to the
   * cluster. Blocks.
   *
   * @return a {@link StatefulRedisConnection} or a {@link
   *     io.lettuce.core.cluster.api.StatefulRedisClusterConnection}
   * @throws RedisException if no node accepts a connection
   */
  public synchronized <K, V> StatefulConnection<K, V> connect(RedisCodec<K, V> codec) {
    RedisClusterClient known = clusterClient;
    if (known != null) {
      return known.connect(codec);
    }
    RuntimeException failure = new RedisException("no address");
    for (RedisURI node : nodes) {
      try {
        return connect(codec, node);
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private <K, V> StatefulConnection<K, V> connect(RedisCodec<K, V> codec, RedisURI node) {
    StatefulRedisConnection<K, V> single = client.connect(codec, node);
    boolean cluster;
    try {
      cluster = single.sync().info("cluster").contains("cluster_enabled:1");
    } catch (RuntimeException e) {
      single.close();
      throw e;
    }
    connected = node;
    if (!cluster) {
      return single;
    }
    single.close();
    RedisClusterClient created = createClusterClient();
    try {
      StatefulConnection<K, V> connection = created.connect(codec);
      clusterClient = created;
      return connection;
    } catch (RuntimeException e) {
      created.shutdown(Duration.ZERO, SHUTDOWN);
      throw e;
    }
  }

  // Lettuce 7 enables the triggers by default and deprecates the option; Lettuce 6 needs it.
  @SuppressWarnings("deprecation")
  private RedisClusterClient createClusterClient() {
    RedisClusterClient cluster = RedisClusterClient.create(resources, nodes);
    cluster.setOptions(
        options(ClusterClientOptions.builder())
            .disconnectedBehavior(tuning.clusterWhileDisconnected())
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(TOPOLOGY_REFRESH_PERIOD)
                    .enableAdaptiveRefreshTrigger(
                        ClusterTopologyRefreshOptions.RefreshTrigger.values())
                    .adaptiveRefreshTriggersTimeout(TOPOLOGY_REFRESH_PAUSE)
                    .build())
            .build());
    return cluster;
  }

  /** Connects again to the single server or the current master of Sentinel, without blocking. */
  public <K, V> CompletionStage<StatefulRedisConnection<K, V>> reconnect(RedisCodec<K, V> codec) {
    return client.connectAsync(codec, connected);
  }

  /**
   * Opens a connection for subscriptions, after {@link #connect} has detected the topology. Blocks;
   * the caller closes the connection.
   *
   * @throws RedisException if Redis cannot be reached
   */
  public <K, V> StatefulRedisPubSubConnection<K, V> connectPubSub(RedisCodec<K, V> codec) {
    RedisClusterClient cluster = clusterClient;
    return cluster == null ? client.connectPubSub(codec, connected) : cluster.connectPubSub(codec);
  }

  /** Returns the cluster client, or null if no cluster has been detected. */
  public @Nullable RedisClusterClient clusterClient() {
    return clusterClient;
  }

  /** Returns the topology: {@code standalone}, {@code sentinel} or {@code cluster}. */
  public String topology() {
    if (clusterClient != null) {
      return "cluster";
    }
    return connected.getSentinels().isEmpty() ? "standalone" : "sentinel";
  }

  /** Closes all connections and stops the threads; waits for at most a few seconds. */
  @Override
  public void close() {
    RedisClusterClient cluster = clusterClient;
    if (cluster != null) {
      cluster.shutdown(Duration.ZERO, SHUTDOWN);
    }
    client.shutdown(Duration.ZERO, SHUTDOWN);
    resources
        .shutdown(0, SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(SHUTDOWN.toMillis());
    timer.stop();
  }
}
