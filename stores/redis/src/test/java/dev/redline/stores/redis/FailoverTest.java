package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisSentinel;
import dev.redline.testkit.redis.RedisServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master is killed while several nodes use it. */
@Tag("faults")
class FailoverTest {
  private static final Duration TIMEOUT = Duration.ofMillis(200);

  /** Longer than the aim of one second, because build machines are busy. */
  private static final Duration RESUMED = Duration.ofSeconds(4);

  /** Of a capacity that can be leased, and a refill that keeps tokens from getting scarce. */
  private static final BucketLimits BUSY =
      Nodes.rule("busy", RateLimitBand.of(20_000, 100_000, Duration.ofSeconds(1)));

  private static boolean isMaster(RedisServer server) {
    try {
      return String.valueOf(server.command("INFO", "replication")).contains("role:master");
    } catch (UncheckedIOException e) {
      return false; // a server closes all connections when its role changes
    }
  }

  /** Returns whether a sentinel names the replica as the master. */
  private static boolean isNamed(RedisSentinel redis) {
    String port = Integer.toString(redis.replica().port());
    return redis.sentinels().stream()
        .map(sentinel -> sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"))
        .anyMatch(address -> address.equals(List.of("127.0.0.1", port)));
  }

  private static HistoryChecker.Report survive(
      Nodes nodes,
      RedisServer master,
      BooleanSupplier promotion,
      Function<SplittableRandom, Acquisition> question) {
    try (ConcurrentLoad load = new ConcurrentLoad(nodes.add(2), 8, question)) {
      load.awaitDecisionsAndSpends(1000);
      long promoted;
      try (History.Span failover = nodes.history().forgetting()) {
        master.kill();
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(Duration.ofSeconds(30))
            .until(promotion::getAsBoolean);
        promoted = System.nanoTime();
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(RESUMED)
            .until(() -> load.firstAfter(promoted) != Long.MAX_VALUE);
      }
      System.out.printf(
          "decisions resumed %d ms after the promotion%n",
          (load.firstAfter(promoted) - promoted) / 1_000_000);
      load.awaitDecisionsAndSpends(1000);
    }
    HistoryChecker.Report report = HistoryChecker.check(nodes.history());
    System.out.println("failover: " + report);
    return report;
  }

  @Test
  void resumesDecisionsAfterSentinelFailover() {
    try (RedisSentinel redis = RedisSentinel.start(RedisBinary.any());
        Nodes nodes = new Nodes(redis.uri()).within(TIMEOUT)) {
      survive(nodes, redis.master(), () -> isNamed(redis), ConcurrentLoad.mixed(2));
    }
  }

  @Test
  void resumesDecisionsAfterClusterFailover() {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any())) {
      redis
          .servers()
          .forEach(server -> server.command("CONFIG", "SET", "cluster-node-timeout", "1000"));
      Function<SplittableRandom, Acquisition> mixed = ConcurrentLoad.mixed(1);
      try (Nodes nodes = new Nodes(redis.uri()).within(TIMEOUT)) {
        survive(
            nodes,
            redis.masters().get(1),
            () -> isMaster(redis.replicas().get(1)),
            random -> onTheSecondOfThreeMasters(mixed.apply(random)));
      }
    }
  }

  /** The history checker permits one extra capacity, and no spend that the leases do not cover. */
  @Test
  void leasesSurviveSentinelFailover() {
    try (RedisSentinel redis = RedisSentinel.start(RedisBinary.any());
        Nodes nodes = new Nodes(redis.uri()).within(TIMEOUT).leasing(LeaseSettings.ON)) {
      RateLimitKey busy = new RateLimitKey(BUSY, "caller");
      HistoryChecker.Report report =
          survive(nodes, redis.master(), () -> isNamed(redis), random -> Acquisition.of(busy, 1));
      assertThat(report.spent()).as("spent tokens").isPositive();
    }
  }

  @Test
  void leasesSurviveClusterFailover() {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any())) {
      redis
          .servers()
          .forEach(server -> server.command("CONFIG", "SET", "cluster-node-timeout", "1000"));
      try (Nodes nodes = new Nodes(redis.uri()).within(TIMEOUT).leasing(LeaseSettings.ON)) {
        RateLimitKey busy = Nodes.keyOn(BUSY, 1, 3);
        HistoryChecker.Report report =
            survive(
                nodes,
                redis.masters().get(1),
                () -> isMaster(redis.replicas().get(1)),
                random -> Acquisition.of(busy, 1));
        assertThat(report.spent()).as("spent tokens").isPositive();
      }
    }
  }

  private static Acquisition onTheSecondOfThreeMasters(Acquisition acquisition) {
    Acquisition.Builder there = Acquisition.builder();
    for (int i = 0; i < acquisition.size(); i++) {
      String identity = Nodes.keyOn(acquisition.key(i).limits(), 1, 3).identity();
      there.add(
          new RateLimitKey(acquisition.key(i).limits(), identity),
          acquisition.cost(i),
          acquisition.shadow(i));
    }
    return there.build();
  }
}
