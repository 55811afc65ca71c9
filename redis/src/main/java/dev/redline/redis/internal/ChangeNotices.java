package dev.redline.redis.internal;

import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to notices of changes. A notice is only the number of a revision; one that is not
 * a number is ignored. A new subscription counts as a notice, since Redis does not keep notices for
 * disconnected subscribers (at-most-once delivery).
 */
public final class ChangeNotices implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ChangeNotices.class.getName());
  private static final Pattern NOTICE = Pattern.compile("[0-9]{1,19}");

  private final RuleConnections access;
  private final String channel;
  private final Semaphore pending = new Semaphore(0);
  private @Nullable StatefulRedisPubSubConnection<String, String> connection;

  /** Creates notices on the channel that all rule sources with this prefix of keys share. */
  public ChangeNotices(RuleConnections access, String keyPrefix) {
    this.access = access;
    this.channel = channel(keyPrefix);
  }

  /** Returns the channel on which a change of rules is published. */
  public static String channel(String keyPrefix) {
    return keyPrefix + ":m:{rules}:changed";
  }

  /**
   * Publishes the number of a revision, for sources that are not in Redis.
   *
   * @throws RedisException if Redis cannot be reached
   */
  public void publish(long version) {
    access.commands().publish(channel, Long.toString(version));
  }

  /**
   * Waits until a notice arrives; subscribes first if necessary.
   *
   * @throws RedisException if Redis cannot be reached
   */
  public void await(Duration atMost) throws InterruptedException {
    subscribe();
    if (pending.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
      pending.drainPermits();
    }
  }

  private synchronized void subscribe() {
    if (connection != null) {
      return;
    }
    StatefulRedisPubSubConnection<String, String> opened = access.subscriber();
    try {
      opened.addListener(new Listener());
      opened.sync().subscribe(channel);
      connection = opened;
    } catch (RedisException e) {
      var unused = opened.closeAsync();
      throw e;
    }
  }

  /**
   * Ends the subscription, so that the next wait makes a new one: after a failover, the old server
   * publishes no more notices.
   */
  public synchronized void drop() {
    StatefulRedisPubSubConnection<String, String> stale = connection;
    connection = null;
    if (stale != null) {
      var unused = stale.closeAsync();
      pending.release();
    }
  }

  /** Called by Lettuce, which subscribes again by itself after reconnecting. */
  private final class Listener extends RedisPubSubAdapter<String, String> {
    @Override
    public void message(String from, String notice) {
      if (NOTICE.matcher(notice).matches()) {
        pending.release();
      } else {
        LOG.log(Level.DEBUG, "ignored a notice on {0} that is not a number", from);
      }
    }

    @Override
    public void subscribed(String to, long count) {
      pending.release();
    }
  }

  @Override
  public void close() {
    drop();
  }
}
