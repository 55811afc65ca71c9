package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.TokenLeases;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens that a node takes ahead of demand. */
class LeaseTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final RateLimitBand LARGE = Nodes.slow(100_000);
  private static final RateLimitKey KEY = new RateLimitKey(Nodes.rule("r", LARGE), "somebody");

  private static Nodes nodes() {
    return new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON);
  }

  private static TokenLeases leases(Nodes nodes, int i) {
    return nodes.store(i).leases().orElseThrow();
  }

  @Test
  void spendsTokensOfBusyKeyWithoutTrip() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      nodes.makeBusy(0, node, KEY);
      Outcome outcome = new Outcome();
      assertThat(node.acquireNow(Acquisition.of(KEY, 1), outcome)).isTrue();
      assertThat(outcome.allowed()).isTrue();
      assertThat(outcome.recalled()).isTrue();
      assertThat(outcome.leased(0)).isPositive();
      TokenLeases leases = leases(nodes, 0);
      assertThat(leases.acquired()).isGreaterThanOrEqualTo(8);
      assertThat(leases.spent()).isEqualTo(1);
    }
  }

  @Test
  void refundsTokensOfIdleKey() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      TokenLeases leases = leases(nodes, 0);
      long acquired = 0;
      for (int i = 0; i < 20 && leases.refunded() == 0; i++) {
        // An own acquisition after the lease prevents a refund; then there is another lease.
        acquired += nodes.makeBusy(0, node, KEY);
        assertThat(node.acquireNow(Acquisition.of(KEY, 3), new Outcome())).isTrue();
        await().until(() -> leases.held() == 0 && isBalanced(leases));
      }
      assertThat(leases.refunded()).isPositive();
      assertThat(remaining(Nodes.look(node, KEY)))
          .isEqualTo(100_000 - acquired - leases.spent() - leases.dropped());
    }
  }

  /** Returns whether all tokens were spent, refunded or dropped. */
  private static boolean isBalanced(TokenLeases leases) {
    return leases.acquired() == leases.spent() + leases.refunded() + leases.dropped();
  }

  private static long remaining(Outcome outcome) {
    return KEY.limits().arithmetic().remaining(outcome.views(), 0);
  }

  @Test
  void refundsTokensWhenStoreIsClosed() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      StorageProvider other = nodes.add();
      long acquired = nodes.makeBusy(0, node, KEY);
      nodes.store(0).close();
      assertThat(leases(nodes, 0).held()).isZero();
      assertThat(remaining(Nodes.look(other, KEY)))
          .isEqualTo(100_000 - acquired - leases(nodes, 0).dropped());
      assertThat(node.acquireNow(Acquisition.of(KEY, 1), new Outcome())).isFalse();
    }
  }

  @Test
  void keepsTokensTakenIfAnotherNodeAcquiredSince() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      StorageProvider other = nodes.add();
      nodes.makeBusy(0, node, KEY);
      Nodes.take(other, KEY, 1);
      TokenLeases leases = leases(nodes, 0);
      await().until(() -> leases.held() == 0 && leases.dropped() > 0);
      assertThat(leases.refunded()).isZero();
    }
  }

  @Test
  void countsOwnTokensAsRemainingInDryRun() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      StorageProvider other = nodes.add();
      nodes.makeBusy(0, node, KEY);
      Outcome own = Nodes.look(node, KEY);
      assertThat(own.leased(0)).isPositive();
      assertThat(Nodes.look(other, KEY).leased(0)).isZero();
    }
  }

  @Test
  void leasesNothingOfSmallBucketOrIntervals() {
    RateLimitKey small = new RateLimitKey(Nodes.rule("small", Nodes.slow(127)), "somebody");
    RateLimitBand byIntervals =
        RateLimitBand.builder()
            .capacity(100_000)
            .refillTokens(1)
            .period(Duration.ofHours(1))
            .refill(Refill.INTERVAL)
            .build();
    RateLimitKey interval = new RateLimitKey(Nodes.rule("interval", byIntervals), "somebody");
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      for (RateLimitKey key : List.of(small, interval)) {
        for (int i = 0; i < 20; i++) {
          List<CompletableFuture<Outcome>> all = new ArrayList<>();
          for (int n = 0; n < 40; n++) {
            all.add(node.acquire(Acquisition.of(key, 1)).toCompletableFuture());
          }
          all.forEach(CompletableFuture::join);
        }
      }
      assertThat(leases(nodes, 0).acquired()).isZero();
    }
  }

  @Test
  void dropsTokensAfterResetOfRule() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      nodes.makeBusy(0, node, KEY);
      node.reset(List.of(KEY.limits())).toCompletableFuture().join();
      assertThat(leases(nodes, 0).held()).isZero();
      assertThat(leases(nodes, 0).refunded()).isZero();
      assertThat(remaining(Nodes.look(node, KEY))).isEqualTo(100_000);
    }
  }

  @Test
  void dropsTokensAfterResetOfKeyByOtherNode() {
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      StorageProvider other = nodes.add();
      nodes.makeBusy(0, node, KEY);
      other.reset(KEY).toCompletableFuture().join();
      await().until(() -> leases(nodes, 0).held() == 0);
      assertThat(remaining(Nodes.look(other, KEY))).isEqualTo(100_000);
    }
  }

  @Test
  void spendsFromAllKeysOrFromNone() {
    RateLimitKey second = new RateLimitKey(Nodes.rule("second", LARGE), "somebody");
    RateLimitKey unused = new RateLimitKey(Nodes.rule("unused", LARGE), "somebody");
    try (Nodes nodes = nodes()) {
      StorageProvider node = nodes.add();
      nodes.makeBusy(0, node, KEY, second);
      Outcome outcome = new Outcome();
      Acquisition both = Acquisition.builder().take(KEY, 1).take(second, 1).build();
      assertThat(node.acquireNow(both, outcome)).isTrue();
      assertThat(outcome.passed(0) && outcome.passed(1)).isTrue();
      long spent = leases(nodes, 0).spent();
      Acquisition more = Acquisition.builder().take(KEY, 1).take(unused, 1).build();
      assertThat(node.acquireNow(more, new Outcome())).isFalse();
      assertThat(leases(nodes, 0).spent()).isEqualTo(spent);
    }
  }

  @Test
  void leasesWindows() {
    for (RateLimitBand band :
        List.of(
            RateLimitBand.fixedWindow(100_000, Duration.ofHours(1)),
            RateLimitBand.slidingWindow(100_000, Duration.ofHours(1)))) {
      RateLimitKey key = new RateLimitKey(Nodes.rule("window", band, LARGE), "somebody");
      try (Nodes nodes = nodes()) {
        StorageProvider node = nodes.add();
        long acquired = nodes.makeBusy(0, node, key);
        TokenLeases leases = leases(nodes, 0);
        await().until(() -> leases.held() == 0 && isBalanced(leases) && leases.refunded() > 0);
        Outcome seen = Nodes.look(node, key);
        assertThat(key.limits().arithmetic().remaining(seen.views(), 0))
            .isEqualTo(100_000 - acquired - leases.dropped());
      }
    }
  }

  /** Returns the script calls and loaded scripts of a node that makes a key busy. */
  private static List<String> calls(LeaseSettings settings) {
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        Nodes nodes = new Nodes(redis.uri(), "same").leasing(settings)) {
      redis.command("CONFIG", "SET", "slowlog-max-len", "1000");
      redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
      StorageProvider node = nodes.add();
      for (int i = 0; i < 100; i++) {
        node.acquireAndWait(Acquisition.of(KEY, 1));
      }
      List<String> calls = new ArrayList<>();
      for (Object entry : (List<?>) redis.command("SLOWLOG", "GET", "1000")) {
        List<?> words = (List<?>) ((List<?>) entry).get(3);
        if (words.get(0).equals("EVALSHA") || words.get(0).equals("SCRIPT")) {
          calls.add(words.toString());
        }
      }
      return calls;
    }
  }

  @Test
  void sendsNothingElseIfLeasesAreOff() {
    List<String> off = calls(LeaseSettings.OFF);
    assertThat(off).filteredOn(call -> call.startsWith("[SCRIPT")).hasSize(3);
    String digest = new String(Protocol.CURRENT.acquireOne().digest(), StandardCharsets.US_ASCII);
    List<String> acquisitions =
        off.stream().filter(call -> call.startsWith("[EVALSHA, " + digest)).toList();
    assertThat(acquisitions).hasSize(100);
    assertThat(acquisitions.stream().distinct()).hasSize(1);
    assertThat(calls(LeaseSettings.ON)).contains(acquisitions.get(0)).hasSizeGreaterThan(104);
  }
}
