package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Acquisitions whose keys lie on two masters of a cluster, where the second one refuses. */
class CrossSlotTest {
  @RegisterExtension
  static final RedisExtension<RedisCluster> REDIS =
      RedisExtension.of(() -> RedisCluster.start(RedisBinary.any(), 2, false));

  private static final RateLimitKey EXHAUSTED =
      Nodes.keyIn(Nodes.rule("second", Nodes.slow(1)), 32, 64);

  private static RateLimitKey first(RateLimitBand band) {
    return Nodes.keyIn(Nodes.rule("first", band), 0, 32);
  }

  private static Acquisition both(RateLimitKey first, long cost) {
    return Acquisition.builder().take(first, cost).take(EXHAUSTED, 1).build();
  }

  @Test
  void whatIsRefusedOnTheSecondMasterLeavesTheFirstAsItWas() {
    RedisServer master = REDIS.get().masters().get(0);
    RateLimitKey first = first(RateLimitBand.of(1000, 1, Duration.ofSeconds(1)));
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      StorageProvider node = nodes.add();
      assertThat(Nodes.take(node, EXHAUSTED, 1).allowed()).isTrue();
      assertThat(Nodes.take(node, first, 600).allowed()).isTrue();
      Object before = master.command("GET", nodes.redisKey(first));
      for (int i = 0; i < 1000; i++) {
        nodes.store(0).forget(EXHAUSTED);
        assertThat(Nodes.await(node, both(first, 1 + i % 7)).allowed()).isFalse();
      }
      await().until(() -> before.equals(master.command("GET", nodes.redisKey(first))));
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.refundable()).isEqualTo(1000);
    }
  }

  /**
   * Stops the second master, so that what was taken on the first is given back only after time has
   * refilled it, while others go on taking there.
   */
  private static Nodes nodesThatGiveBackLate(Protocol protocol) {
    RateLimitKey first = first(RateLimitBand.of(20, 100, Duration.ofSeconds(1)));
    RedisServer second = REDIS.get().masters().get(1);
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    StorageProvider other = nodes.add();
    Nodes.take(node, EXHAUSTED, 1);
    Nodes.look(other, first);
    second.pause();
    CompletableFuture<Outcome> refused = node.acquire(both(first, 5)).toCompletableFuture();
    try {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < 150_000_000) {
        Nodes.take(other, first, 1);
        Nodes.look(other, first);
      }
    } finally {
      second.resume();
    }
    // Others keep the bucket empty: in a full one nobody sees what was given back, which is a
    // moment after the denial.
    long until = Long.MAX_VALUE;
    while (until == Long.MAX_VALUE || System.nanoTime() - until < 0) {
      Nodes.take(other, first, 1);
      Nodes.look(other, first);
      until = refused.isDone() && until == Long.MAX_VALUE ? System.nanoTime() + 100_000_000 : until;
    }
    assertThat(refused.join().allowed()).isFalse();
    Nodes.look(other, first);
    return nodes;
  }

  @Test
  void aGiveBackOfTheFullCostIsNoticed() {
    Protocol fullCost =
        Mutation.of(Protocol.CURRENT.refund())
            .replace(
                "local owed, osub = x + price - seen, xsub + psub",
                "local owed, osub = price, psub")
            .ofRefund();
    try (Nodes nodes = nodesThatGiveBackLate(fullCost)) {
      assertThatThrownBy(() -> HistoryChecker.check(nodes.history()))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("rule first for 'somebody-")
          .hasMessageContaining("expected")
          .hasMessageContaining("seen owing");
    }
  }

  @Test
  void whatIsGivenBackLateIsNoMoreThanIsStillOwed() {
    try (Nodes nodes = nodesThatGiveBackLate(Protocol.CURRENT)) {
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.refundable()).isEqualTo(1);
    }
  }

  /** Buckets on both masters, fast and slow, some of which refuse most of the time. */
  @Test
  void acquisitionsAcrossMastersAreExactUnderLoad() {
    List<RateLimitKey> here =
        List.of(
            first(RateLimitBand.of(200, 2000, Duration.ofSeconds(1))), first(Nodes.slow(50_000)));
    List<RateLimitKey> there =
        List.of(
            Nodes.keyIn(
                Nodes.rule("second", RateLimitBand.of(5, 100, Duration.ofSeconds(1))), 32, 64),
            Nodes.keyIn(
                Nodes.rule("second", RateLimitBand.fixedWindow(20, Duration.ofMillis(100))),
                32,
                64));
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      try (ConcurrentLoad load =
          new ConcurrentLoad(
              nodes.add(2),
              8,
              random ->
                  Acquisition.of(here.get(random.nextInt(2)), 1 + random.nextInt(3)).toBuilder()
                      .add(there.get(random.nextInt(2)), 1, random.nextInt(5) == 0)
                      .build())) {
        load.awaitDecisions(4000);
        assertThat(load.failures()).isEmpty();
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      System.out.println("across masters: " + report);
      assertThat(report.refundable()).isPositive();
    }
  }

  @Test
  void isAnsweredThoughARefundThrows() {
    RateLimitKey first = first(Nodes.slow(5));
    List<PendingAcquisition> parts = new ArrayList<>();
    CrossSlot acquisition =
        new CrossSlot(
            (part, lane) -> {
              parts.add(part);
              return part;
            },
            (part, outcome) -> {
              throw new IllegalStateException("on purpose");
            },
            both(first, 1),
            new BucketKey.Maker("rl", BucketKey.LAYOUT),
            System.nanoTime(),
            false);
    CompletableFuture<Outcome> answer = acquisition.take();
    for (PendingAcquisition part : parts) {
      Outcome outcome = new Outcome();
      outcome.reset(1);
      outcome.decide(part.acquisition().key(0).equals(first), 1);
      part.complete(outcome);
    }
    assertThat(answer).isDone();
  }
}
