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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Acquisitions with keys on two masters of a cluster, the second of which denies. */
@Tag("faults")
class CrossSlotTest {
  @RegisterExtension
  static final RedisExtension<RedisCluster> REDIS =
      RedisExtension.of(() -> RedisCluster.start(RedisBinary.any(), 2, false));

  private static final RateLimitKey EXHAUSTED =
      Nodes.keyOn(Nodes.rule("second", Nodes.slow(1)), 1, 2);

  private static RateLimitKey first(RateLimitBand band) {
    return Nodes.keyOn(Nodes.rule("first", band), 0, 2);
  }

  private static Acquisition both(RateLimitKey first, long cost) {
    return Acquisition.builder().take(first, cost).take(EXHAUSTED, 1).build();
  }

  @Test
  void denialOnSecondMasterLeavesFirstUnchanged() {
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
   * Stops the second master, so that the refund on the first is sent only after the tokens have
   * been refilled, while another node keeps taking tokens there.
   */
  private static Nodes nodesThatRefundLate(Protocol protocol) {
    RateLimitKey first = first(RateLimitBand.of(20, 100, Duration.ofSeconds(1)));
    RedisServer second = REDIS.get().masters().get(1);
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    StorageProvider other = nodes.add();
    Nodes.take(node, EXHAUSTED, 1);
    Nodes.look(other, first);
    second.pause();
    CompletableFuture<Outcome> denied = node.acquire(both(first, 5)).toCompletableFuture();
    try {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < 150_000_000) {
        Nodes.take(other, first, 1);
        Nodes.look(other, first);
      }
    } finally {
      second.resume();
    }
    // The refund follows the denial. It is visible only while the bucket is not full, so the other
    // node keeps it empty.
    long until = Long.MAX_VALUE;
    while (until == Long.MAX_VALUE || System.nanoTime() - until < 0) {
      Nodes.take(other, first, 1);
      Nodes.look(other, first);
      until = denied.isDone() && until == Long.MAX_VALUE ? System.nanoTime() + 100_000_000 : until;
    }
    assertThat(denied.join().allowed()).isFalse();
    Nodes.look(other, first);
    return nodes;
  }

  @Test
  void detectsRefundOfFullCost() {
    Protocol fullCost =
        Mutation.of(Protocol.CURRENT.refund())
            .replace(
                "local owed, osub = x + price - seen, xsub + psub",
                "local owed, osub = price, psub")
            .ofRefund();
    try (Nodes nodes = nodesThatRefundLate(fullCost)) {
      assertThatThrownBy(() -> HistoryChecker.check(nodes.history()))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("rule first for 'somebody-")
          .hasMessageContaining("expected")
          .hasMessageContaining("seen owing");
    }
  }

  @Test
  void lateRefundIsAtMostTheRemainingDebt() {
    try (Nodes nodes = nodesThatRefundLate(Protocol.CURRENT)) {
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.refundable()).isEqualTo(1);
    }
  }

  /** The first master takes from everybody, and then stands still while the second one denies. */
  @Test
  @Timeout(60)
  void noMoreThan1024RefundsAreUnderWay() {
    int callers = 2000;
    int cost = 10;
    RateLimitKey first = first(Nodes.slow(100_000));
    RedisServer taking = REDIS.get().masters().get(0);
    RedisServer denying = REDIS.get().masters().get(1);
    try (Nodes nodes = new Nodes(REDIS.get().uri()).within(Duration.ofSeconds(30))) {
      StorageProvider node = nodes.add();
      StorageProvider other = nodes.add();
      assertThat(Nodes.take(node, EXHAUSTED, 1).allowed()).isTrue();
      List<CompletableFuture<Outcome>> denied = new ArrayList<>();
      denying.pause();
      try {
        for (int i = 0; i < callers; i++) {
          denied.add(node.acquire(both(first, cost)).toCompletableFuture());
        }
        await().until(() -> left(other, first) == 100_000 - callers * cost);
        taking.pause();
      } finally {
        denying.resume();
      }
      try {
        for (CompletableFuture<Outcome> one : denied) {
          assertThat(one.join().allowed()).isFalse();
        }
      } finally {
        taking.resume();
      }
      await()
          .during(Duration.ofMillis(500))
          .untilAsserted(
              () -> {
                long refunded = left(other, first) - (100_000 - callers * cost);
                // Rounding may keep a little of each.
                assertThat((refunded + cost - 1) / cost).as("refunds").isEqualTo(1024);
              });
    }
  }

  private static long left(StorageProvider node, RateLimitKey key) {
    return key.limits().band(0).remaining(Nodes.look(node, key).views(), 0);
  }

  /** Fast and slow buckets on both masters, some of which deny most of the time. */
  @Test
  void decidesExactlyAcrossMastersUnderLoad() {
    List<RateLimitKey> here =
        List.of(
            first(RateLimitBand.of(200, 2000, Duration.ofSeconds(1))), first(Nodes.slow(50_000)));
    List<RateLimitKey> there =
        List.of(
            Nodes.keyOn(
                Nodes.rule("second", RateLimitBand.of(5, 100, Duration.ofSeconds(1))), 1, 2),
            Nodes.keyOn(
                Nodes.rule("second", RateLimitBand.fixedWindow(20, Duration.ofMillis(100))), 1, 2));
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
  void completesWhenRefundThrows() {
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
            (whole, outcome) -> {},
            new PendingAcquisition(
                both(first, 1),
                new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4)),
                System.nanoTime(),
                PendingAcquisition.Waiter.CONTINUATIONS));
    CompletableFuture<Outcome> result = acquisition.take();
    for (PendingAcquisition part : parts) {
      Outcome outcome = new Outcome();
      outcome.reset(1);
      outcome.decide(part.acquisition().key(0).equals(first), 1);
      part.complete(outcome);
    }
    assertThat(result).isDone();
  }
}
