package dev.redline.testkit.redis;

import java.util.ArrayList;
import java.util.List;

/** A master, a replica and three sentinels on loopback. */
public final class RedisSentinel implements AutoCloseable {
  private static final String NAME = "mymaster";

  private final RedisServer master;
  private final RedisServer replica;
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinel(RedisServer master, RedisServer replica) {
    this.master = master;
    this.replica = replica;
  }

  /** Starts them, and waits until replication is up and the sentinels know each other. */
  public static RedisSentinel start(RedisBinary binary) {
    RedisServer master = RedisServer.start(binary);
    RedisSentinel all;
    try {
      // Two words: Redis 6.2 does not split one.
      String port = Integer.toString(master.port());
      all = new RedisSentinel(master, RedisServer.start(binary, "--replicaof", "127.0.0.1", port));
    } catch (RuntimeException e) {
      master.close();
      throw e;
    }
    try {
      RedisCluster.await(
          "replication",
          () ->
              String.valueOf(all.replica.command("INFO", "replication"))
                  .contains("master_link_status:up"));
      for (int i = 0; i < 3; i++) {
        all.addSentinel(binary);
      }
      RedisCluster.await("sentinels", all::sentinelsAgree);
      return all;
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private void addSentinel(RedisBinary binary) {
    RedisServer sentinel = RedisServer.start(binary, "--sentinel");
    sentinels.add(sentinel);
    sentinel.command(
        "SENTINEL", "MONITOR", NAME, "127.0.0.1", Integer.toString(master.port()), "2");
    sentinel.command("SENTINEL", "SET", NAME, "down-after-milliseconds", "500");
    sentinel.command("SENTINEL", "SET", NAME, "failover-timeout", "3000");
  }

  private boolean sentinelsAgree() {
    for (RedisServer sentinel : sentinels) {
      Object others = sentinel.command("SENTINEL", "SENTINELS", NAME);
      Object replicas = sentinel.command("SENTINEL", "REPLICAS", NAME);
      boolean complete =
          others instanceof List<?> known
              && known.size() == 2
              && replicas instanceof List<?> slaves
              && slaves.size() == 1;
      if (!complete) {
        return false;
      }
    }
    return true;
  }

  /** Returns the URI that names the sentinels and the master's name. */
  public String uri() {
    List<String> hosts =
        sentinels.stream().map(sentinel -> "127.0.0.1:" + sentinel.port()).toList();
    return "redis-sentinel://" + String.join(",", hosts) + "#" + NAME;
  }

  /** Returns the server that began as master. */
  public RedisServer master() {
    return master;
  }

  /** Returns the server that began as replica. */
  public RedisServer replica() {
    return replica;
  }

  /** Returns the sentinels. */
  public List<RedisServer> sentinels() {
    return sentinels;
  }

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    replica.close();
    master.close();
  }
}
