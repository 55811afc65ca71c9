package dev.redline.testkit.redis;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A JVM that starts Redis processes and then does nothing until its standard input ends.
 *
 * <p>Arguments: what to start, and optionally the redis-server to run instead of the embedded one.
 */
final class RedisHolder {
  private RedisHolder() {}

  @SuppressWarnings("MustBeClosed") // the test needs processes that are not closed
  public static void main(String[] args) throws IOException {
    RedisBinary binary =
        args.length > 1 ? RedisBinary.at(Path.of(args[1])) : RedisBinary.embedded();
    try {
      switch (args[0]) {
        case "server" -> RedisServer.start(binary);
        case "invalid" -> RedisServer.start(binary, "--no-such-directive", "1");
        case "paused" -> RedisServer.start(binary).pause();
        case "sentinel" -> RedisSentinel.start(binary);
        case "cluster" -> RedisCluster.start(binary, 3, false);
        default -> throw new IllegalArgumentException(args[0]);
      }
      System.out.println("started");
    } catch (IllegalStateException e) {
      System.out.println("failed");
    }
    while (System.in.read() != -1) {
      // The test holds the other end.
    }
  }
}
