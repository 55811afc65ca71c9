package dev.redline.rules.mongo;

import dev.redline.redis.RedisProperties;
import dev.redline.redis.internal.ChangeNotices;
import dev.redline.redis.internal.RuleConnections;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Notices changes by messages in Redis, which every write of a node publishes. */
final class RedisSignal implements ChangeSignal {
  private static final Logger LOG = System.getLogger(RedisSignal.class.getName());

  private final RuleConnections access;
  private final ChangeNotices notices;
  private final String source;

  RedisSignal(RedisProperties redis, String source) {
    this.access = new RuleConnections(redis.connection());
    this.notices = new ChangeNotices(access, redis.keyPrefix());
    this.source = source;
  }

  @Override
  public void await(Duration atMost) throws IOException, InterruptedException {
    try {
      notices.await(atMost);
    } catch (RedisException e) {
      access.drop();
      throw new IOException(source + ": notices in Redis: " + e.getMessage(), e);
    }
  }

  @Override
  public void announce(long version) {
    try {
      notices.publish(version);
    } catch (RedisException e) {
      access.drop();
      // After a failover, the old server publishes no more notices.
      notices.drop();
      LOG.log(
          Level.WARNING,
          "{0}: other nodes find version {1} by polling, since Redis cannot be reached: {2}",
          source,
          Long.toString(version),
          e.getMessage());
    }
  }

  @Override
  public void close() {
    notices.close();
    access.close();
  }
}
