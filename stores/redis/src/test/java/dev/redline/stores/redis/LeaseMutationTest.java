package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Mutation tests: the history checker detects each of these mistakes of leases. */
@Tag("faults")
class LeaseMutationTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  /** A token lasts 2 ms, so that leased tokens die soon. */
  private static final RateLimitBand FAST = RateLimitBand.of(1000, 1000, Duration.ofSeconds(2));

  private static final RateLimitKey KEY = new RateLimitKey(Nodes.rule("r", FAST), "somebody");
  private static final RateLimitKey LASTING =
      new RateLimitKey(Nodes.rule("r", Nodes.slow(100_000)), "somebody");
  private static final Duration RETRIES = Duration.ofSeconds(60);
  private static final int ROUNDS = 5;

  private static boolean spend(StorageProvider node, long cost) {
    return node.acquireNow(Acquisition.of(KEY, cost), new Outcome());
  }

  private static void pause(long millis) {
    long begin = System.nanoTime();
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> System.nanoTime() - begin >= millis * 1_000_000);
  }

  private static boolean isRejected(Nodes nodes) {
    try {
      HistoryChecker.check(nodes.history());
      return false;
    } catch (AssertionError e) {
      assertThat(e).hasMessageContaining("lease of rule r for 'somebody'");
      return true;
    }
  }

  /** Leases tokens, lets part of them die, and spends as many as the store lets it. */
  private static void spendLate(Nodes nodes, StorageProvider node, long pauseMillis) {
    nodes.makeBusy(0, node, KEY);
    pause(pauseMillis);
    for (int i = 0; i < 200 && spend(node, 1); i++) {}
  }

  private static void isRejectedAtLast(LeaseRules mistake) {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(mistake)) {
      StorageProvider node = nodes.add();
      await()
          .atMost(RETRIES)
          .pollDelay(Duration.ZERO)
          .until(
              () -> {
                // Long enough to let tokens die, and too short to lose the lease as idle.
                spendLate(nodes, node, 85);
                return isRejected(nodes);
              });
    }
  }

  @Test
  void detectsTokensThatNeverDie() {
    isRejectedAtLast(
        new LeaseRules() {
          @Override
          long alive(long tokens, long endNanos, long tokenNanos, long nanos) {
            return tokens;
          }
        });
  }

  @Test
  void detectsTokensThatAllDieAtTheEnd() {
    isRejectedAtLast(
        new LeaseRules() {
          @Override
          long alive(long tokens, long endNanos, long tokenNanos, long nanos) {
            return nanos - endNanos < 0 ? tokens : 0;
          }
        });
  }

  @Test
  void acceptsTokensThatDieAsRefillReplacesThem() {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON)) {
      StorageProvider node = nodes.add();
      for (int i = 0; i < ROUNDS; i++) {
        spendLate(nodes, node, 85);
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.leased()).isPositive();
    }
  }

  /** Leases tokens while replies are slow, and spends as many as the store lets it. */
  private static void spendAfterSlowReply(Nodes nodes, StorageProvider node) {
    nodes.makeBusy(0, node, KEY);
    pause(50);
    for (int i = 0; i < 200 && spend(node, 1); i++) {}
  }

  @Test
  void detectsLowerBoundOfTime() {
    LeaseRules mistake =
        new LeaseRules() {
          @Override
          long clockStart(long sentNanos, long receivedNanos) {
            return receivedNanos;
          }
        };
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).leasing(mistake)) {
      StorageProvider node = nodes.add();
      proxy.delayReplies(Duration.ofMillis(15));
      await()
          .atMost(RETRIES)
          .pollDelay(Duration.ZERO)
          .until(
              () -> {
                spendAfterSlowReply(nodes, node);
                return isRejected(nodes);
              });
    }
  }

  @Test
  void acceptsUpperBoundOfTime() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).leasing(LeaseSettings.ON)) {
      StorageProvider node = nodes.add();
      proxy.delayReplies(Duration.ofMillis(15));
      for (int i = 0; i < ROUNDS; i++) {
        spendAfterSlowReply(nodes, node);
      }
      HistoryChecker.check(nodes.history());
    }
  }

  /**
   * Lets a request for more tokens fail while its reply is under way, as its deadline would. Then
   * spends as many tokens as the store lets it.
   *
   * @return whether there was such a request; on a slow machine the lease may have ended before
   */
  private static boolean spendAfterLateReply(FaultProxy proxy, Nodes nodes, StorageProvider node) {
    Acquisition one = Acquisition.of(LASTING, 1);
    nodes.makeBusy(0, node, LASTING);
    LeaseRequest first = nodes.lastLeaseRequest(0);
    proxy.stall();
    while (nodes.lastLeaseRequest(0) == first && node.acquireNow(one, new Outcome())) {}
    LeaseRequest renewal = nodes.lastLeaseRequest(0);
    if (renewal != null && renewal != first) {
      renewal.fail(StoreException.Kind.UNAVAILABLE, "no reply in time");
    }
    proxy.resume();
    // Replies come in order, so this one comes after the late one.
    Nodes.look(node, LASTING);
    for (int i = 0; i < 200 && node.acquireNow(one, new Outcome()); i++) {}
    return renewal != first;
  }

  @Test
  void detectsLateReplyThatIsHonoured() {
    LeaseRules mistake =
        new LeaseRules() {
          @Override
          boolean accepts(boolean inTime) {
            return true;
          }
        };
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).leasing(mistake)) {
      StorageProvider node = nodes.add();
      await()
          .atMost(RETRIES)
          .pollDelay(Duration.ZERO)
          .until(() -> spendAfterLateReply(proxy, nodes, node) && isRejected(nodes));
    }
  }

  @Test
  void acceptsLateReplyThatIsIgnored() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).leasing(LeaseSettings.ON)) {
      StorageProvider node = nodes.add();
      await()
          .atMost(RETRIES)
          .pollDelay(Duration.ZERO)
          .until(() -> spendAfterLateReply(proxy, nodes, node));
      HistoryChecker.check(nodes.history());
    }
  }

  private static void refundAfterSpending(Nodes nodes) {
    StorageProvider node = nodes.add();
    nodes.makeBusy(0, node, KEY);
    assertThat(spend(node, 5)).isTrue();
    await().until(() -> nodes.store(0).holds(KEY) == 0);
    Nodes.look(node, KEY);
  }

  @Test
  void detectsRefundOfSpentTokens() {
    LeaseRules mistake =
        new LeaseRules() {
          @Override
          long refundable(long tokens, long unspent) {
            return tokens;
          }
        };
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(mistake)) {
      refundAfterSpending(nodes);
      assertThat(isRejected(nodes)).isTrue();
    }
  }

  @Test
  void acceptsRefundOfUnspentTokens() {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON)) {
      refundAfterSpending(nodes);
      assertThat(HistoryChecker.check(nodes.history()).spent()).isGreaterThanOrEqualTo(5);
    }
  }

  private static void spendAfterReset(Nodes nodes) {
    StorageProvider node = nodes.add();
    nodes.makeBusy(0, node, KEY);
    try (History.Span reset = nodes.history().resetting(OwnerKind.RULE, "r")) {
      node.reset(List.of(KEY.limits())).toCompletableFuture().join();
    }
    spend(node, 1);
    Nodes.look(node, KEY);
  }

  @Test
  void detectsSpendAfterReset() {
    LeaseRules mistake =
        new LeaseRules() {
          @Override
          boolean dropsAfterReset() {
            return false;
          }
        };
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(mistake)) {
      spendAfterReset(nodes);
      assertThat(isRejected(nodes)).isTrue();
    }
  }

  @Test
  void acceptsResetThatDropsTokens() {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON)) {
      spendAfterReset(nodes);
      HistoryChecker.check(nodes.history());
    }
  }

  /** One node leases tokens, another one leases after it, and the first one refunds. */
  private static void refundBelowOtherLease(Nodes nodes) {
    StorageProvider first = nodes.add();
    StorageProvider second = nodes.add();
    RateLimitKey key = new RateLimitKey(Nodes.rule("r", Nodes.slow(100_000)), "somebody");
    nodes.makeBusy(0, first, key);
    nodes.makeBusy(1, second, key);
    await().until(() -> nodes.store(0).holds(key) == 0 && nodes.store(1).holds(key) == 0);
    Nodes.look(first, key);
  }

  @Test
  void detectsRefundBelowOtherLease() {
    Protocol careless =
        Mutation.of(Protocol.CURRENT.refundLast())
            .replace("a == x and sub == xsub and a >= now", "a >= now")
            .ofRefundLast();
    try (Nodes nodes = new Nodes(REDIS.get().uri()).speaking(careless).leasing(LeaseSettings.ON)) {
      refundBelowOtherLease(nodes);
      assertThatThrownBy(() -> HistoryChecker.check(nodes.history()))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("was refunded, though the bucket had changed");
    }
  }

  @Test
  void refundsNothingBelowOtherLease() {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON)) {
      refundBelowOtherLease(nodes);
      HistoryChecker.check(nodes.history());
      assertThat(nodes.store(0).leases().orElseThrow().refunded()).isZero();
    }
  }
}
