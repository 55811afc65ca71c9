package dev.redline.stores.redis;

import dev.redline.redis.internal.ClientTuning;
import dev.redline.redis.internal.RedisClients;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connection to Redis, with at-most-once delivery: commands are rejected while disconnected,
 * and reconnecting replays nothing. Standalone, Sentinel or Cluster, as {@link RedisClients}
 * detects it.
 */
final class RedisConnection implements ScriptConnection, AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisConnection.class.getName());
  private static final Duration TIMER_TICK = Duration.ofMillis(5);
  private static final long RECONNECT_PAUSE_NANOS = 500_000_000L;

  private final RedisClients clients;
  private final OpenChannels channels;
  private final @Nullable RedisClusterClient clusterClient;
  private final AtomicLong renewedNanos = new AtomicLong(System.nanoTime());
  private volatile StatefulConnection<byte[], byte[]> connection;
  private volatile BaseRedisAsyncCommands<byte[], byte[]> commands;

  private RedisConnection(
      RedisClients clients,
      OpenChannels channels,
      StatefulConnection<byte[], byte[]> connection,
      BaseRedisAsyncCommands<byte[], byte[]> commands) {
    this.clients = clients;
    this.channels = channels;
    this.clusterClient = clients.clusterClient();
    this.connection = connection;
    this.commands = commands;
  }

  /** Connects, to all masters of a cluster; throws if one cannot be reached. Blocks. */
  static RedisConnection connect(RedisSettings settings) {
    OpenChannels channels = new OpenChannels();
    RedisClients clients =
        new RedisClients(
            settings.connection(),
            new ClientTuning(
                TimeoutOptions.builder().timeoutSource(new Timeouts(settings)).build(),
                TIMER_TICK,
                DisconnectedBehavior.REJECT_COMMANDS,
                channels));
    try {
      StatefulConnection<byte[], byte[]> connection = clients.connect(ByteArrayCodec.INSTANCE);
      RedisConnection result =
          new RedisConnection(clients, channels, connection, asyncCommands(connection));
      result.masters();
      return result;
    } catch (RuntimeException e) {
      clients.close();
      throw e;
    }
  }

  private static BaseRedisAsyncCommands<byte[], byte[]> asyncCommands(
      StatefulConnection<byte[], byte[]> connection) {
    return connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
        ? cluster.async()
        : ((StatefulRedisConnection<byte[], byte[]>) connection).async();
  }

  /** A master and its own commands. */
  record Master(String name, BaseRedisAsyncCommands<byte[], byte[]> commands) {}

  /**
   * Returns the masters, and connects to those of a cluster that are not connected yet. They are
   * selected by address, as scripts are: selecting them by node id would open other connections.
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

  @Override
  public String masterAddress(int slot) {
    RedisClusterNode master =
        connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
            ? cluster.getPartitions().getMasterBySlot(slot)
            : null;
    return master == null ? "" : master.getUri().getHost() + ":" + master.getUri().getPort();
  }

  /** Returns the topology: {@code standalone}, {@code sentinel} or {@code cluster}. */
  String topology() {
    return clients.topology();
  }

  @Override
  public boolean cluster() {
    return clusterClient != null;
  }

  /**
   * Reconnects to a master that accepts commands and never replies, and refreshes the topology. The
   * connection to a stopped process never closes by itself.
   */
  @Override
  public void renew(String node) {
    renew();
    if (clusterClient != null) {
      channels.close(node);
    }
  }

  /**
   * Asks Sentinel or the cluster for the current master, at most every few hundred milliseconds:
   * after a server stopped replying or became a replica.
   */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // both ends of the chain are handled in it
  public void renew() {
    long now = System.nanoTime();
    long last = renewedNanos.get();
    long pause =
        clusterClient == null
            ? RECONNECT_PAUSE_NANOS
            : RedisClients.TOPOLOGY_REFRESH_PAUSE.toNanos();
    if (now - last < pause || !renewedNanos.compareAndSet(last, now)) {
      return;
    }
    if (clusterClient != null) {
      clusterClient
          .refreshPartitionsAsync()
          .exceptionally(
              error -> {
                LOG.log(Level.DEBUG, "refreshing the topology of the cluster failed", error);
                return null;
              });
      return;
    }
    clients
        .reconnect(ByteArrayCodec.INSTANCE)
        .thenAccept(
            fresh -> {
              StatefulConnection<byte[], byte[]> stale = connection;
              commands = fresh.async();
              connection = fresh;
              // Not close(), which would block the I/O thread.
              var unused = stale.closeAsync();
            })
        .exceptionally(
            error -> {
              LOG.log(Level.DEBUG, "reconnecting to Redis failed", error);
              return null;
            });
  }

  /** Returns the commands, for use off the request path. */
  BaseRedisAsyncCommands<byte[], byte[]> commands() {
    return commands;
  }

  @Override
  public RedisFuture<long[]> call(
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

  /** Returns the value of a key, or null. */
  CompletionStage<byte @Nullable []> get(byte[] key) {
    return commands.dispatch(
        CommandType.GET,
        new ValueOutput<>(ByteArrayCodec.INSTANCE),
        new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(key));
  }

  /** Returns the time to live of a key in milliseconds. */
  CompletionStage<Long> expiry(byte[] key) {
    return commands.dispatch(
        CommandType.PTTL,
        new IntegerOutput<>(ByteArrayCodec.INSTANCE),
        new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(key));
  }

  @Override
  public void close() {
    connection.close();
    clients.close();
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Script calls have the command time-out; other commands, such as PING, may take longer. */
  private static final class Timeouts extends TimeoutOptions.TimeoutSource {
    private final long callMillis;
    private final long otherMillis;

    Timeouts(RedisSettings settings) {
      this.callMillis = settings.commandTimeout().toMillis();
      this.otherMillis = Math.max(callMillis, settings.connection().connectTimeout().toMillis());
    }

    @Override
    public long getTimeout(RedisCommand<?, ?, ?> command) {
      return command.getOutput() instanceof NumbersOutput ? callMillis : otherMillis;
    }
  }
}
