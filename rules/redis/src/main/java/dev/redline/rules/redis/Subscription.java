package dev.redline.rules.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to notices of changes until closed. A notice is only the number of a revision; one
 * that is not a number is ignored. Also reports a possible change after each new subscription,
 * since Redis does not keep notices for disconnected subscribers (at-most-once delivery).
 */
final class Subscription implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Subscription.class.getName());
  private static final Pattern NOTICE = Pattern.compile("[0-9]{1,19}");
  private static final long FIRST_RETRY_MILLIS = 100;
  private static final long LONGEST_RETRY_MILLIS = 5_000;

  private final RedisAccess access;
  private final String channel;
  private final Runnable changed;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread named = new Thread(task, "redline-rule-notices");
            named.setDaemon(true);
            return named;
          });
  private long retryMillis = FIRST_RETRY_MILLIS;
  private @Nullable StatefulRedisPubSubConnection<String, String> connection;

  private Subscription(RedisAccess access, String channel, Runnable changed) {
    this.access = access;
    this.channel = channel;
    this.changed = changed;
  }

  static Subscription start(RedisAccess access, String channel, Runnable changed) {
    Subscription subscription = new Subscription(access, channel, changed);
    subscription.renew();
    return subscription;
  }

  /** Subscribes over a new connection, retrying until it succeeds. */
  void renew() {
    submit(this::connect, 0);
  }

  private void submit(Runnable task, long millis) {
    try {
      var unused = thread.schedule(task, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "the subscription was closed meanwhile");
    }
  }

  private void connect() {
    disconnect();
    try {
      StatefulRedisPubSubConnection<String, String> opened = access.subscriber();
      connection = opened;
      opened.addListener(new Listener());
      opened.sync().subscribe(channel);
      retryMillis = FIRST_RETRY_MILLIS;
    } catch (RedisException e) {
      LOG.log(Level.DEBUG, "subscribing to {0} failed, trying again: {1}", channel, e.getMessage());
      submit(
          this::connect, retryMillis - ThreadLocalRandom.current().nextLong(retryMillis / 2 + 1));
      retryMillis = Math.min(2 * retryMillis, LONGEST_RETRY_MILLIS);
    }
  }

  private void disconnect() {
    StatefulRedisPubSubConnection<String, String> stale = connection;
    connection = null;
    if (stale != null) {
      var unused = stale.closeAsync();
    }
  }

  /** Called by Lettuce, which subscribes again by itself after reconnecting. */
  private final class Listener extends RedisPubSubAdapter<String, String> {
    @Override
    public void message(String from, String notice) {
      if (NOTICE.matcher(notice).matches()) {
        changed.run();
      } else {
        LOG.log(Level.DEBUG, "ignored a notice on {0} that is not a number", from);
      }
    }

    @Override
    public void subscribed(String to, long count) {
      changed.run();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
