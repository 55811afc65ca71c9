package dev.redline.stores.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis in whatever topology it turns out to be, set up so that no command is ever
 * sent twice: commands are rejected while disconnected, and reconnecting replays nothing.
 */
final class RedisConnection implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisConnection.class.getName());
  private static final Duration TICK = Duration.ofMillis(5);
  private static final Duration TOPOLOGY_REFRESH = Duration.ofMillis(250);
  private static final int REQUEST_QUEUE = 4096;
  private static final long RENEWAL_NANOS = 500_000_000L;

  private final Parts parts;
  private final RedisURI uri;
  private final @Nullable RedisClusterClient clusterClient;
  private final AtomicLong renewedNanos = new AtomicLong(System.nanoTime());
  private volatile StatefulConnection<byte[], byte[]> connection;
  private volatile BaseRedisAsyncCommands<byte[], byte[]> commands;

  /** What a connection is made of, whatever the topology. */
  private record Parts(
      ClientResources resources,
      HashedWheelTimer timer,
      OpenChannels channels,
      RedisClient client) {}

  private RedisConnection(
      Parts parts,
      RedisURI uri,
      StatefulConnection<byte[], byte[]> connection,
      BaseRedisAsyncCommands<byte[], byte[]> commands,
      @Nullable RedisClusterClient clusterClient) {
    this.parts = parts;
    this.uri = uri;
    this.connection = connection;
    this.commands = commands;
    this.clusterClient = clusterClient;
  }

  /** Connects, and finds out whether it is a cluster; throws if Redis cannot be reached. */
  static RedisConnection connect(RedisSettings settings) {
    HashedWheelTimer timer =
        new HashedWheelTimer(
            new DefaultThreadFactory("redline-redis-timer", true),
            TICK.toMillis(),
            TimeUnit.MILLISECONDS);
    OpenChannels channels = new OpenChannels();
    ClientResources resources =
        DefaultClientResources.builder()
            .timer(timer)
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .nettyCustomizer(channels)
            .reconnectDelay(
                () ->
                    Delay.fullJitter(
                        Duration.ofMillis(50), Duration.ofMillis(500), 50, TimeUnit.MILLISECONDS))
            .build();
    List<RedisURI> nodes = settings.nodes();
    RedisClient client = RedisClient.create(resources, nodes.get(0));
    client.setOptions(options(ClientOptions.builder(), settings).build());
    Parts parts = new Parts(resources, timer, channels, client);
    try {
      return connect(settings, nodes, parts);
    } catch (RuntimeException e) {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      stop(resources, timer);
      throw e;
    }
  }

  /** Connects to the first node that answers; of a cluster, any will do. */
  private static RedisConnection connect(
      RedisSettings settings, List<RedisURI> nodes, Parts parts) {
    RuntimeException failure = new IllegalStateException("no address");
    for (RedisURI node : nodes) {
      try {
        StatefulRedisConnection<byte[], byte[]> single =
            parts.client.connect(ByteArrayCodec.INSTANCE, node);
        if (!isCluster(single)) {
          return new RedisConnection(parts, node, single, single.async(), null);
        }
        single.close();
        return cluster(settings, node, nodes, parts);
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private static boolean isCluster(StatefulRedisConnection<byte[], byte[]> connection) {
    return connection.sync().info("cluster").contains("cluster_enabled:1");
  }

  // Lettuce 7 turns the triggers on by itself and deprecates saying so; Lettuce 6 must be told.
  @SuppressWarnings("deprecation")
  private static RedisConnection cluster(
      RedisSettings settings, RedisURI uri, List<RedisURI> nodes, Parts parts) {
    RedisClusterClient clusterClient = RedisClusterClient.create(parts.resources, nodes);
    ClusterClientOptions.Builder options = ClusterClientOptions.builder();
    options(options, settings);
    clusterClient.setOptions(
        options
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(Duration.ofSeconds(5))
                    .enableAdaptiveRefreshTrigger(
                        ClusterTopologyRefreshOptions.RefreshTrigger.values())
                    .adaptiveRefreshTriggersTimeout(TOPOLOGY_REFRESH)
                    .build())
            .build());
    try {
      StatefulRedisClusterConnection<byte[], byte[]> connection =
          clusterClient.connect(ByteArrayCodec.INSTANCE);
      RedisConnection link =
          new RedisConnection(parts, uri, connection, connection.async(), clusterClient);
      link.masters();
      return link;
    } catch (RuntimeException e) {
      clusterClient.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      throw e;
    }
  }

  /** A master and the commands that go to it alone. */
  record Master(String name, BaseRedisAsyncCommands<byte[], byte[]> commands) {}

  /**
   * Returns the masters, connecting to those of a cluster that nobody asked for yet: by address, as
   * scripts are sent, since a connection by node id would be another one.
   *
   * @throws io.lettuce.core.RedisException if one cannot be reached
   */
  List<Master> masters() {
    if (!(connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
      return List.of(new Master("", commands));
    }
    List<Master> masters = new ArrayList<>();
    for (RedisClusterNode node : cluster.getPartitions()) {
      if (node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots()) {
        String host = node.getUri().getHost();
        int port = node.getUri().getPort();
        masters.add(new Master(host + ":" + port, cluster.getConnection(host, port).async()));
      }
    }
    return masters;
  }

  /** Returns what the master of a lane is known by within the cluster; changes when it does. */
  String masterId(int lane) {
    if (!(connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
      return "";
    }
    RedisClusterNode master = cluster.getPartitions().getMasterBySlot(SlotTags.slot(lane));
    return master == null ? "" : master.getNodeId();
  }

  /** Returns the name of the master that keeps a lane, as far as is known; empty if it is one. */
  String node(int lane) {
    if (!(connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
      return "";
    }
    RedisClusterNode master = cluster.getPartitions().getMasterBySlot(SlotTags.slot(lane));
    return master == null ? "" : master.getUri().getHost() + ":" + master.getUri().getPort();
  }

  /** Returns what kind of Redis it is: {@code standalone}, {@code sentinel} or {@code cluster}. */
  String topology() {
    if (cluster()) {
      return "cluster";
    }
    return uri.getSentinels().isEmpty() ? "standalone" : "sentinel";
  }

  private static <B extends ClientOptions.Builder> B options(B builder, RedisSettings settings) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .autoReconnect(true)
        .requestQueueSize(REQUEST_QUEUE)
        .timeoutOptions(TimeoutOptions.builder().timeoutSource(new Timeouts(settings)).build())
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                .keepAlive(true)
                .tcpNoDelay(true)
                .build());
    settings
        .caFile()
        .ifPresent(
            file -> builder.sslOptions(SslOptions.builder().trustManager(file.toFile()).build()));
    return builder;
  }

  boolean cluster() {
    return clusterClient != null;
  }

  /**
   * Gives up the connection to a master that accepts commands and never answers, and looks where
   * its slots are now. Its connection never closes by itself.
   */
  void renew(String node) {
    renew();
    if (clusterClient != null) {
      parts.channels.close(node);
    }
  }

  /**
   * Looks for the master anew, after a server that accepts and never answers, or is no master any
   * more: what a sentinel or the cluster says may have changed meanwhile.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // both ends of the chain are handled in it
  void renew() {
    long now = System.nanoTime();
    long last = renewedNanos.get();
    long pause = clusterClient == null ? RENEWAL_NANOS : TOPOLOGY_REFRESH.toNanos();
    if (now - last < pause || !renewedNanos.compareAndSet(last, now)) {
      return;
    }
    if (clusterClient != null) {
      clusterClient
          .refreshPartitionsAsync()
          .exceptionally(
              error -> {
                LOG.log(Level.DEBUG, "the cluster's layout is not known yet", error);
                return null;
              });
      return;
    }
    parts
        .client
        .connectAsync(ByteArrayCodec.INSTANCE, uri)
        .thenAccept(
            fresh -> {
              StatefulConnection<byte[], byte[]> stale = connection;
              commands = fresh.async();
              connection = fresh;
              // Not close(), which would wait, on the I/O thread that this runs on.
              var unused = stale.closeAsync();
            })
        .exceptionally(
            error -> {
              LOG.log(Level.DEBUG, "no new connection to Redis yet", error);
              return null;
            });
  }

  /** Returns the commands, for what is not on the request path. */
  BaseRedisAsyncCommands<byte[], byte[]> commands() {
    return commands;
  }

  /** Calls a script by its digest, or with its text. */
  RedisFuture<long[]> call(
      boolean byDigest,
      byte[] script,
      List<byte[]> keys,
      List<byte[]> arguments,
      NumbersOutput out) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(script).add(keys.size()).addKeys(keys);
    arguments.forEach(args::add);
    return commands.dispatch(byDigest ? CommandType.EVALSHA : CommandType.EVAL, out, args);
  }

  /** Reads a key for people; null if there is none. */
  CompletionStage<byte @Nullable []> get(byte[] key) {
    return commands.dispatch(
        CommandType.GET,
        new ValueOutput<>(ByteArrayCodec.INSTANCE),
        new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(key));
  }

  /** Returns how many milliseconds a key is still kept. */
  CompletionStage<Long> expiry(byte[] key) {
    return commands.dispatch(
        CommandType.PTTL,
        new IntegerOutput<>(ByteArrayCodec.INSTANCE),
        new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(key));
  }

  @Override
  public void close() {
    connection.close();
    if (clusterClient != null) {
      clusterClient.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
    parts.client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    stop(parts.resources, parts.timer);
  }

  private static void stop(ClientResources resources, HashedWheelTimer timer) {
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    timer.stop();
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Acquisitions have their time-out; everything else, such as PING, may take longer. */
  private static final class Timeouts extends TimeoutOptions.TimeoutSource {
    private final long callMillis;
    private final long otherMillis;

    Timeouts(RedisSettings settings) {
      this.callMillis = settings.commandTimeout().toMillis();
      this.otherMillis = Math.max(callMillis, settings.connectTimeout().toMillis());
    }

    @Override
    public long getTimeout(RedisCommand<?, ?, ?> command) {
      return command.getOutput() instanceof NumbersOutput ? callMillis : otherMillis;
    }
  }
}
