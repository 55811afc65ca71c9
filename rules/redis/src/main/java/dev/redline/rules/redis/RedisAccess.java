package dev.redline.rules.redis;

import dev.redline.core.settings.Settings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections to Redis in whatever topology it turns out to be; made when needed, made anew after a
 * failure. Far from the request path, so commands may take a while: documents are large.
 */
final class RedisAccess implements AutoCloseable {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration SHUTDOWN = Duration.ofSeconds(1);

  private final Settings.Redis settings;
  private final List<RedisURI> nodes;
  private final ClientResources resources;
  private final RedisClient client;
  private @Nullable RedisClusterClient clusterClient;
  private @Nullable StatefulConnection<String, String> connection;
  private @Nullable RedisClusterCommands<String, String> commands;
  private boolean closed;

  RedisAccess(Settings.Redis settings) {
    this.settings = settings;
    this.nodes = nodes(settings);
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(
                () ->
                    Delay.fullJitter(
                        Duration.ofMillis(50), Duration.ofMillis(500), 50, TimeUnit.MILLISECONDS))
            .build();
    this.client = RedisClient.create(resources, nodes.get(0));
    client.setOptions(options(ClientOptions.builder()).build());
  }

  /** Returns where to connect: the URI, then the further nodes of a cluster; any will do. */
  private static List<RedisURI> nodes(Settings.Redis settings) {
    RedisURI first = parse(settings.uri());
    first.setTimeout(settings.connectTimeout());
    List<RedisURI> nodes = new ArrayList<>();
    nodes.add(first);
    for (String node : settings.clusterNodes()) {
      int colon = node.lastIndexOf(':');
      RedisURI copy = RedisURI.builder(first).build();
      copy.setHost(node.substring(0, colon));
      copy.setPort(Integer.parseInt(node.substring(colon + 1)));
      nodes.add(copy);
    }
    return nodes;
  }

  private static RedisURI parse(String uri) {
    try {
      return RedisURI.create(uri);
    } catch (RuntimeException e) {
      // Its message may hold the password, so it is not passed on.
      throw new IllegalArgumentException("rl.redis.uri: the Redis URI is malformed");
    }
  }

  /** Connects to the first node that answers. */
  private StatefulRedisConnection<String, String> connect() {
    RedisException failure = new RedisException("no address");
    for (RedisURI node : nodes) {
      try {
        return client.connect(StringCodec.UTF8, node);
      } catch (RedisException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private Duration commandTimeout() {
    Duration connecting = settings.connectTimeout();
    return connecting.compareTo(COMMAND_TIMEOUT) > 0 ? connecting : COMMAND_TIMEOUT;
  }

  private <B extends ClientOptions.Builder> B options(B builder) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .autoReconnect(true)
        .timeoutOptions(TimeoutOptions.enabled(commandTimeout()))
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                // A subscriber says nothing by itself, and must notice when nobody is there.
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
   * Returns the commands, connecting if necessary.
   *
   * @throws RedisException if Redis cannot be reached
   */
  synchronized RedisClusterCommands<String, String> commands() {
    if (closed) {
      throw new RedisException("closed");
    }
    RedisClusterCommands<String, String> open = commands;
    if (open != null) {
      return open;
    }
    RedisClusterClient cluster = clusterClient;
    if (cluster == null) {
      StatefulRedisConnection<String, String> single = connect();
      try {
        if (!single.sync().info("cluster").contains("cluster_enabled:1")) {
          return use(single, single.sync());
        }
      } catch (RedisException e) {
        single.close();
        throw e;
      }
      single.close();
      cluster = clusterClient();
      clusterClient = cluster;
    }
    StatefulRedisClusterConnection<String, String> clustered = cluster.connect();
    return use(clustered, clustered.sync());
  }

  private RedisClusterCommands<String, String> use(
      StatefulConnection<String, String> opened, RedisClusterCommands<String, String> itsCommands) {
    opened.setTimeout(commandTimeout());
    connection = opened;
    commands = itsCommands;
    return itsCommands;
  }

  // Lettuce 7 turns the triggers on by itself and deprecates saying so; Lettuce 6 must be told.
  @SuppressWarnings("deprecation")
  private RedisClusterClient clusterClient() {
    RedisClusterClient cluster = RedisClusterClient.create(resources, nodes);
    ClusterClientOptions.Builder options = options(ClusterClientOptions.builder());
    cluster.setOptions(
        options
            // Its nodes are connected when first asked, and would reject what comes before.
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.DEFAULT)
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(Duration.ofSeconds(5))
                    .enableAdaptiveRefreshTrigger(
                        ClusterTopologyRefreshOptions.RefreshTrigger.values())
                    .build())
            .build());
    return cluster;
  }

  /**
   * Returns a new connection that can subscribe; the caller closes it.
   *
   * @throws RedisException if Redis cannot be reached
   */
  synchronized StatefulRedisPubSubConnection<String, String> subscriber() {
    commands();
    RedisClusterClient cluster = clusterClient;
    return cluster == null ? client.connectPubSub() : cluster.connectPubSub();
  }

  /** Gives up the connection after a failure: what a sentinel says may have changed meanwhile. */
  synchronized void drop() {
    StatefulConnection<String, String> failed = connection;
    connection = null;
    commands = null;
    if (failed != null) {
      var unused = failed.closeAsync();
    }
  }

  @Override
  public void close() {
    RedisClusterClient cluster;
    synchronized (this) {
      closed = true;
      drop();
      cluster = clusterClient;
    }
    if (cluster != null) {
      cluster.shutdown(Duration.ZERO, SHUTDOWN);
    }
    client.shutdown(Duration.ZERO, SHUTDOWN);
    var unused = resources.shutdown(0, SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS);
  }
}
