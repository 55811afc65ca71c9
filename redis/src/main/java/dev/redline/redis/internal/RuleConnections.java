package dev.redline.redis.internal;

import dev.redline.redis.RedisConnectionSettings;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.NettyCustomizer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Connections for rule documents: opened on first use, and opened again after a failure. They are
 * not on the request path, so commands may take seconds: documents are large.
 */
public final class RuleConnections implements AutoCloseable {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration TIMER_TICK = Duration.ofMillis(100);

  private final Duration commandTimeout;
  private final RedisClients clients;
  private @Nullable StatefulConnection<String, String> connection;
  private boolean closed;

  public RuleConnections(RedisConnectionSettings settings) {
    Duration connectTimeout = settings.connectTimeout();
    this.commandTimeout =
        connectTimeout.compareTo(COMMAND_TIMEOUT) > 0 ? connectTimeout : COMMAND_TIMEOUT;
    this.clients =
        new RedisClients(
            settings,
            new ClientTuning(
                TimeoutOptions.enabled(commandTimeout),
                TIMER_TICK,
                // Cluster nodes are connected on first use; rejecting would fail the first command.
                DisconnectedBehavior.DEFAULT,
                new NettyCustomizer() {}));
  }

  /**
   * Returns the commands, connecting if necessary.
   *
   * @throws RedisException if Redis cannot be reached
   */
  public synchronized RedisClusterCommands<String, String> commands() {
    if (closed) {
      throw new RedisException("closed");
    }
    StatefulConnection<String, String> open = connection;
    if (open == null) {
      open = clients.connect(StringCodec.UTF8);
      open.setTimeout(commandTimeout);
      connection = open;
    }
    return open instanceof StatefulRedisClusterConnection<String, String> cluster
        ? cluster.sync()
        : ((StatefulRedisConnection<String, String>) open).sync();
  }

  /**
   * Returns a new connection for subscriptions; the caller closes it.
   *
   * @throws RedisException if Redis cannot be reached
   */
  synchronized StatefulRedisPubSubConnection<String, String> subscriber() {
    commands();
    return clients.connectPubSub(StringCodec.UTF8);
  }

  /** Closes the connection after a failure: Sentinel may have chosen another master since. */
  public synchronized void drop() {
    StatefulConnection<String, String> failed = connection;
    connection = null;
    if (failed != null) {
      var unused = failed.closeAsync();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      drop();
    }
    clients.close();
  }
}
