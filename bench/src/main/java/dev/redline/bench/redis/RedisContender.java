package dev.redline.bench.redis;

import java.util.Arrays;
import java.util.List;

/** The limiters that are compared. */
enum RedisContender {
  FLOOR("plain EVALSHA"),
  REDLINE("Redline"),
  BUCKET4J("Bucket4j"),
  BUCKET4J_BATCHING("Bucket4j batching"),
  REDISSON("Redisson");

  private final String title;

  RedisContender(String title) {
    this.title = title;
  }

  /** Returns the name in tables. */
  String title() {
    return title;
  }

  /** Returns all but Redline and the baseline. */
  static List<RedisContender> peers() {
    return Arrays.stream(values()).filter(c -> c != FLOOR && c != REDLINE).toList();
  }

  /** Returns a new connection; only the baseline and Redline support a cluster. */
  Client connect(String uri, boolean cluster) {
    return switch (this) {
      case FLOOR -> EvalshaFloor.connect(uri, cluster);
      case REDLINE -> new RedlineOnRedis(uri);
      case BUCKET4J -> new Bucket4jOnRedis(uri, false);
      case BUCKET4J_BATCHING -> new Bucket4jOnRedis(uri, true);
      case REDISSON -> new RedissonOnRedis(uri);
    };
  }
}
