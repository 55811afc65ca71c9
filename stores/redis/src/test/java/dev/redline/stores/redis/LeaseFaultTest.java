package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leases under faults, resets and changed limits: the history checker replays all of it. */
@Tag("faults")
@Timeout(120)
class LeaseFaultTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final BucketLimits ONE =
      Nodes.rule("one", RateLimitBand.of(2_000, 4_000, Duration.ofSeconds(1)));
  private static final BucketLimits TWO =
      Nodes.rule(
          "two",
          RateLimitBand.of(3_000, 7_000, Duration.ofSeconds(1)),
          RateLimitBand.fixedWindow(4_000, Duration.ofSeconds(1)));
  private static final BucketLimits SLIDING =
      Nodes.rule("sliding", RateLimitBand.slidingWindow(5_000, Duration.ofSeconds(1)));
  private static final BucketLimits SLOW = Nodes.rule("slow", Nodes.slow(100_000));

  /** Returns acquisitions of one or two busy buckets, with different costs. */
  private static Function<SplittableRandom, Acquisition> busy(BucketLimits... limits) {
    return random -> {
      int first = random.nextInt(limits.length);
      long cost = random.nextInt(10) == 0 ? 1 + random.nextInt(7) : 1;
      Acquisition one = Acquisition.of(new RateLimitKey(limits[first], "caller"), cost);
      int second = random.nextInt(limits.length);
      return second == first || random.nextInt(4) > 0
          ? one
          : one.toBuilder()
              .add(new RateLimitKey(limits[second], "caller"), 1, random.nextBoolean())
              .build();
    };
  }

  private static Nodes nodes(String uri) {
    return new Nodes(uri).leasing(LeaseSettings.ON);
  }

  private static void check(Nodes nodes, String what) {
    HistoryChecker.Report report = HistoryChecker.check(nodes.history());
    System.out.println(what + ": " + report);
    assertThat(report.spent()).as("spent tokens").isPositive();
  }

  @Test
  void nodesShareBucketsExactly() {
    try (Nodes nodes = nodes(REDIS.get().uri())) {
      try (ConcurrentLoad load =
          new ConcurrentLoad(nodes.add(3), 6, busy(ONE, TWO, SLIDING, SLOW))) {
        load.awaitDecisionsAndSpends(10_000);
        assertThat(load.failures()).isEmpty();
      }
      check(nodes, "shared");
    }
  }

  @Test
  void resetsDropLeasesOfAllNodes() throws Exception {
    try (Nodes nodes = nodes(REDIS.get().uri())) {
      List<StorageProvider> all = nodes.add(2);
      try (ConcurrentLoad load = new ConcurrentLoad(all, 4, busy(ONE, SLOW))) {
        for (int i = 0; i < 3; i++) {
          load.awaitDecisionsAndSpends(1_000);
          BucketLimits limits = i == 1 ? SLOW : ONE;
          try (History.Span reset = nodes.history().resetting(OwnerKind.RULE, limits.ownerId())) {
            all.get(i % 2).reset(List.of(limits)).toCompletableFuture().join();
            // The other node polls for resets.
            Thread.sleep(1_000);
          }
        }
        load.awaitDecisionsAndSpends(1_000);
      }
      check(nodes, "resets");
    }
  }

  @Test
  void changedLimitsAreOtherBuckets() {
    BucketLimits next = Nodes.rule("one", RateLimitBand.of(1_000, 2_000, Duration.ofSeconds(1)));
    try (Nodes nodes = nodes(REDIS.get().uri())) {
      List<StorageProvider> all = nodes.add(2);
      try (ConcurrentLoad old = new ConcurrentLoad(all, 2, busy(ONE));
          ConcurrentLoad changed = new ConcurrentLoad(all, 2, busy(next))) {
        old.awaitDecisionsAndSpends(2_000);
        changed.awaitDecisionsAndSpends(2_000);
      }
      check(nodes, "changed limits");
    }
  }

  @Test
  void survivesLostConnectionsAndReplies() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = nodes(proxy.uri()).within(Duration.ofMillis(500))) {
      try (ConcurrentLoad load = new ConcurrentLoad(nodes.add(2), 4, busy(ONE))) {
        for (int i = 0; i < 4; i++) {
          load.awaitDecisionsAndSpends(500);
          proxy.cutBeforeReply(1);
        }
        load.awaitDecisionsAndSpends(500);
      }
      check(nodes, "lost replies");
    }
  }

  @Test
  void sharesBucketsExactlyOnCluster() {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any(), 3, false);
        Nodes nodes = nodes(redis.uri())) {
      Function<SplittableRandom, Acquisition> busy = busy(ONE, TWO, SLOW);
      try (ConcurrentLoad load = new ConcurrentLoad(nodes.add(2), 4, busy)) {
        load.awaitDecisionsAndSpends(5_000);
        assertThat(load.failures()).isEmpty();
      }
      check(nodes, "cluster");
    }
  }

  @Test
  void losesAtMostOneCapacityInFailover() {
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        Nodes nodes = nodes(redis.uri()).within(Duration.ofMillis(500))) {
      try (ConcurrentLoad load = new ConcurrentLoad(nodes.add(2), 4, busy(ONE, SLOW))) {
        load.awaitDecisionsAndSpends(2_000);
        try (History.Span lost = nodes.history().forgetting()) {
          redis.command("FLUSHALL");
          load.awaitDecisionsAndSpends(100);
        }
        load.awaitDecisionsAndSpends(2_000);
      }
      check(nodes, "lost state");
    }
  }
}
