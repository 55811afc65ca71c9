package dev.redline.bench.faults;

import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisSentinel;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A kind of fault: how to make Redis fail, and how to repair it. */
enum Fault {
  /** The process is killed, and started again empty. */
  KILLED("killed, restarted", true),
  /** The process is suspended by a signal: connections stay open without responses. */
  STOPPED("stopped (SIGSTOP)", false),
  /** Every reply takes longer than the timeout. */
  SLOW("200 ms slow", false),
  /** Connections are reset repeatedly. */
  RESETS("connections reset", false),
  /** Commands arrive and replies do not. */
  HALF_OPEN("half-open connection", false),
  /** Replies have the wrong length. */
  WRONG_LENGTH("replies of wrong length", false),
  /** Replies are of the wrong type. */
  WRONG_TYPE("replies of wrong type", false),
  /** Redis has no memory left. */
  OUT_OF_MEMORY("out of memory", false),
  /** The server has become a replica and rejects writes. */
  READ_ONLY("read-only replica", false),
  /** The master dies, and sentinels promote its replica. */
  FAILOVER("master killed, failover", true),
  /** One master of a cluster dies and comes back empty. */
  ONE_OF_THREE("one master of three killed", true);

  /** A Redis that can be made to fail and be repaired. */
  interface FaultyRedis extends AutoCloseable {
    String uri();

    void fail();

    void repair();

    @Override
    void close();
  }

  private interface Act<T> {
    void on(T target);
  }

  private final String text;
  private final boolean forgetting;

  Fault(String text, boolean forgetting) {
    this.text = text;
    this.forgetting = forgetting;
  }

  /** Returns a description. */
  String text() {
    return text;
  }

  /** Returns whether the fault loses buckets. */
  boolean forgetting() {
    return forgetting;
  }

  /** Starts a Redis without a fault. */
  FaultyRedis start() {
    return switch (this) {
      case KILLED -> faultyRedis(RedisServer::kill, RedisServer::restart);
      case STOPPED -> faultyRedis(RedisServer::pause, RedisServer::resume);
      case SLOW ->
          proxied(
              proxy -> proxy.delayReplies(Duration.ofMillis(200)),
              proxy -> proxy.delayReplies(Duration.ZERO));
      case RESETS -> resets();
      case HALF_OPEN -> proxied(FaultProxy::stall, FaultProxy::resume);
      case WRONG_LENGTH -> replying("*1\r\n:1\r\n");
      case WRONG_TYPE -> replying("*1\r\n$2\r\nhi\r\n");
      case OUT_OF_MEMORY ->
          faultyRedis(
              server -> server.command("CONFIG", "SET", "maxmemory", "1"),
              server -> server.command("CONFIG", "SET", "maxmemory", "0"));
      case READ_ONLY ->
          faultyRedis(
              server -> server.command("REPLICAOF", "127.0.0.1", "1"),
              server -> server.command("REPLICAOF", "NO", "ONE"));
      case FAILOVER -> failover();
      case ONE_OF_THREE -> oneOfThree();
    };
  }

  private static FaultyRedis replying(String instead) {
    return proxied(proxy -> proxy.replyInstead(instead), proxy -> proxy.replyInstead(null));
  }

  private static FaultyRedis faultyRedis(Act<RedisServer> fail, Act<RedisServer> repair) {
    RedisServer server = RedisServer.start(RedisBinary.any());
    return new Parts(server.uri(), () -> fail.on(server), () -> repair.on(server), List.of(server));
  }

  private static FaultyRedis proxied(Act<FaultProxy> fail, Act<FaultProxy> repair) {
    RedisServer server = RedisServer.start(RedisBinary.any());
    FaultProxy proxy = FaultProxy.to(server);
    return new Parts(
        proxy.uri(), () -> fail.on(proxy), () -> repair.on(proxy), List.of(proxy, server));
  }

  private static FaultyRedis resets() {
    AtomicBoolean striking = new AtomicBoolean();
    return proxied(
        proxy -> {
          striking.set(true);
          Thread resetting =
              new Thread(
                  () -> {
                    while (striking.get()) {
                      proxy.resetConnections();
                      LockSupport.parkNanos(20_000_000);
                    }
                  },
                  "resets");
          resetting.setDaemon(true);
          resetting.start();
        },
        proxy -> striking.set(false));
  }

  private static FaultyRedis failover() {
    RedisSentinel sentinel = RedisSentinel.start(RedisBinary.any());
    // The sentinels repair it.
    return new Parts(sentinel.uri(), () -> sentinel.master().kill(), () -> {}, List.of(sentinel));
  }

  private static FaultyRedis oneOfThree() {
    RedisCluster cluster = RedisCluster.start(RedisBinary.any(), 3, false);
    for (RedisServer server : cluster.servers()) {
      server.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
      server.command("CONFIG", "SET", "cluster-node-timeout", "1000");
    }
    RedisServer second = cluster.masters().get(1);
    return new Parts(cluster.uri(), second::kill, second::restart, List.of(cluster));
  }

  private record Parts(String uri, Runnable striking, Runnable healing, List<AutoCloseable> parts)
      implements FaultyRedis {
    @Override
    public void fail() {
      striking.run();
    }

    @Override
    public void repair() {
      healing.run();
    }

    @Override
    public void close() {
      for (AutoCloseable part : parts) {
        try {
          part.close();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }
}
