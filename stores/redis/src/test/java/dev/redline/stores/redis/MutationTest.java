package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Mutation tests: the history checker detects each of these mistakes of a store. */
@Tag("faults")
class MutationTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final RateLimitKey KEY =
      new RateLimitKey(Nodes.rule("r", Nodes.slow(1000)), "somebody");

  private static void fails(History history) {
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("rule r for 'somebody', observation ");
  }

  @Test
  void detectsCallReplayedAfterReconnect() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri())) {
      StorageProvider node = nodes.add();
      for (int i = 0; i < 5; i++) {
        Nodes.take(node, KEY, 2);
      }
      proxy.replay(1);
      for (int i = 0; i < 5; i++) {
        Nodes.take(node, KEY, 2);
      }
      assertThat(proxy.struck()).isEqualTo(1);
      fails(nodes.history());
    }
  }

  @Test
  void doesNotReplayCallWhoseReplyIsLost() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri())) {
      StorageProvider node = nodes.add();
      for (int i = 0; i < 5; i++) {
        Nodes.take(node, KEY, 2);
      }
      proxy.cutBeforeReply(1);
      assertThatThrownBy(() -> Nodes.take(node, KEY, 2)).isInstanceOf(StoreException.class);
      await().ignoreExceptions().until(() -> Nodes.take(node, KEY, 2).allowed());
      for (int i = 0; i < 5; i++) {
        Nodes.take(node, KEY, 2);
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.unknownAcquired()).isEqualTo(1);
    }
  }

  private static Nodes nodesThatMeetAForeignValue(Protocol protocol) {
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    Nodes.take(node, KEY, 600);
    REDIS.get().command("APPEND", nodes.redisKey(KEY), "x");
    return nodes;
  }

  @Test
  void detectsResetOfBucketWithMalformedValue() {
    Protocol resetOnMismatch =
        Mutation.of(Protocol.CURRENT.acquireOne())
            .replace("if value then", "if value and #value == 27 then")
            .ofAcquireOne();
    try (Nodes nodes = nodesThatMeetAForeignValue(resetOnMismatch)) {
      StorageProvider node = nodes.add();
      assertThat(Nodes.take(node, KEY, 600).allowed()).isTrue();
      fails(nodes.history());
    }
  }

  @Test
  void failsOnMalformedValueAndKeepsIt() {
    try (Nodes nodes = nodesThatMeetAForeignValue(Protocol.CURRENT)) {
      StorageProvider node = nodes.add();
      String foreign = String.valueOf(REDIS.get().command("GET", nodes.redisKey(KEY)));
      assertThatThrownBy(() -> Nodes.take(node, KEY, 600))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.BAD_STATE));
      assertThat(REDIS.get().command("GET", nodes.redisKey(KEY))).isEqualTo(foreign);
      HistoryChecker.check(nodes.history());
    }
  }

  /** Writes a bucket that is full in an hour, although it takes a second to fill. */
  private static Nodes nodesAfterAClockThatWentAhead(Protocol protocol) {
    RateLimitKey key =
        new RateLimitKey(
            Nodes.rule("r", RateLimitBand.of(10, 10, Duration.ofSeconds(1))), "somebody");
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    Outcome first = Nodes.take(node, key, 3);
    try (History.Span step = nodes.history().turningClock()) {
      String ahead = BucketValue.fullAt(first.nowMicros() + 3_600_000_000L).toString();
      REDIS.get().command("SET", nodes.redisKey(key), ahead, "PX", "7200000");
    }
    Nodes.take(node, key, 3);
    Nodes.look(node, key);
    return nodes;
  }

  @Test
  void detectsDebtAboveCapacity() {
    Protocol unclamped =
        Mutation.of(Protocol.CURRENT.acquireOne())
            .replace("debt, sub, stepped = limit, lsub, true", "")
            .ofAcquireOne();
    try (Nodes nodes = nodesAfterAClockThatWentAhead(unclamped)) {
      fails(nodes.history());
    }
  }

  @Test
  void limitsDebtToCapacityAfterClockStepsBack() {
    try (Nodes nodes = nodesAfterAClockThatWentAhead(Protocol.CURRENT)) {
      HistoryChecker.check(nodes.history());
    }
  }

  /** Likewise, and makes dry runs before tokens are taken. */
  private static Nodes nodesThatLookAtABucketFromAClockAhead(Protocol protocol) {
    RateLimitKey key =
        new RateLimitKey(
            Nodes.rule("r", RateLimitBand.of(10, 10, Duration.ofSeconds(1))), "somebody");
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    Outcome first = Nodes.take(node, key, 3);
    try (History.Span step = nodes.history().turningClock()) {
      String ahead = BucketValue.fullAt(first.nowMicros() + 3_600_000_000L).toString();
      REDIS.get().command("SET", nodes.redisKey(key), ahead, "PX", "7200000");
    }
    for (int i = 0; i < 3; i++) {
      Nodes.look(node, key);
    }
    Nodes.take(node, key, 3);
    nodes.store(0).forget(key);
    Nodes.take(node, key, 3);
    return nodes;
  }

  @Test
  void detectsDryRunThatWrites() {
    Protocol writing =
        Mutation.of(Protocol.CURRENT.acquire())
            .replace(
                "if stepped and stepped[k] and dry == 0 then", "if stepped and stepped[k] then")
            .ofAcquire();
    try (Nodes nodes = nodesThatLookAtABucketFromAClockAhead(writing)) {
      fails(nodes.history());
    }
  }

  @Test
  void dryRunWritesNothing() {
    try (Nodes nodes = nodesThatLookAtABucketFromAClockAhead(Protocol.CURRENT)) {
      HistoryChecker.check(nodes.history());
    }
  }

  private static BucketLimits carriedOver(RateLimitBand band) {
    return BucketLimits.carriedOver(OwnerKind.RULE, "r", List.of(band));
  }

  /** One node takes under a large limit while another takes or makes dry runs under a small one. */
  private static Nodes nodesWithDifferentLimits(
      Protocol protocol, RateLimitBand larger, RateLimitBand smaller, boolean dryRun) {
    RateLimitKey large = new RateLimitKey(carriedOver(larger), "somebody");
    RateLimitKey small = new RateLimitKey(carriedOver(smaller), "somebody");
    Nodes nodes = new Nodes(REDIS.get().uri()).speaking(protocol);
    StorageProvider one = nodes.add();
    StorageProvider other = nodes.add();
    for (int i = 0; i < 20; i++) {
      for (int n = 0; n < 10; n++) {
        Nodes.await(one, Acquisition.of(large, 10));
      }
      Nodes.await(other, Acquisition.of(small, 1, false, dryRun));
    }
    return nodes;
  }

  private static final RateLimitBand LARGE = RateLimitBand.of(1000, 1, Duration.ofMinutes(1));
  private static final RateLimitBand SMALL = RateLimitBand.of(20, 1, Duration.ofMinutes(1));

  @Test
  void detectsDebtClippedToHorizonOfCaller() {
    Protocol clipping =
        Mutation.of(Protocol.CURRENT.acquire())
            .replace(
                "H[at], HS[at] = unpack_('>I7I6', value, from + 20)",
                "H[at], HS[at] = shape[b][2], shape[b][3]")
            .ofAcquire();
    for (boolean dryRun : new boolean[] {false, true}) {
      try (Nodes nodes = nodesWithDifferentLimits(clipping, LARGE, SMALL, dryRun)) {
        fails(nodes.history());
      }
    }
  }

  @Test
  void nodesWithDifferentLimitsShareBucketExactly() {
    RateLimitBand interval =
        RateLimitBand.builder()
            .capacity(1000)
            .refillTokens(1)
            .period(Duration.ofMinutes(1))
            .refill(Refill.INTERVAL)
            .build();
    RateLimitBand smallInterval =
        RateLimitBand.builder()
            .capacity(20)
            .refillTokens(1)
            .period(Duration.ofMinutes(1))
            .refill(Refill.INTERVAL)
            .build();
    Duration hour = Duration.ofHours(1);
    for (boolean dryRun : new boolean[] {false, true}) {
      for (RateLimitBand[] pair :
          new RateLimitBand[][] {
            {LARGE, SMALL},
            {RateLimitBand.of(1000, 7, Duration.ofMinutes(9)), RateLimitBand.of(20, 7, hour)},
            {interval, smallInterval},
            {RateLimitBand.fixedWindow(1000, hour), RateLimitBand.fixedWindow(20, hour)},
            {RateLimitBand.slidingWindow(1000, hour), RateLimitBand.slidingWindow(20, hour)}
          }) {
        try (Nodes nodes = nodesWithDifferentLimits(Protocol.CURRENT, pair[0], pair[1], dryRun)) {
          HistoryChecker.Report report = HistoryChecker.check(nodes.history());
          assertThat(report.buckets()).isEqualTo(1);
          assertThat(report.acquired()).isBetween(100L, 102L);
        }
      }
    }
  }

  /** Submits different costs faster than Redis replies, so that they are batched. */
  private static Nodes nodesThatBatch(FaultProxy proxy, Protocol protocol) {
    Nodes nodes = new Nodes(proxy.uri()).speaking(protocol);
    StorageProvider node = nodes.add();
    Nodes.take(node, KEY, 1);
    proxy.delayReplies(Duration.ofMillis(20));
    List<CompletableFuture<Outcome>> results = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      results.add(node.acquire(Acquisition.of(KEY, 1 + i % 13)).toCompletableFuture());
    }
    results.forEach(CompletableFuture::join);
    return nodes;
  }

  private static final String ITEMS = "local items, reply, r = ARGV[1], { now }, 1";
  private static final String ITEMS_TURNED_ROUND =
      """
      local turned = { string.sub(ARGV[1], 1, 1) }
      for at = #ARGV[1] - 3, 2, -4 do turned[#turned + 1] = string.sub(ARGV[1], at, at + 3) end
      local items, reply, r = table.concat(turned), { now }, 1
      if string.byte(ARGV[1]) ~= 1 then items = ARGV[1] end
      """;

  @Test
  void detectsRepliesAssignedToOtherAcquisitions() {
    Protocol mixedUp =
        Mutation.of(Protocol.CURRENT.acquire()).replace(ITEMS, ITEMS_TURNED_ROUND).ofAcquire();
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = nodesThatBatch(proxy, mixedUp)) {
      fails(nodes.history());
    }
  }

  @Test
  void detectsBatchDecidedInOtherOrder() {
    Protocol reordered =
        Mutation.of(Protocol.CURRENT.acquire())
            .replace(ITEMS, ITEMS_TURNED_ROUND)
            .replace(
                "        call('SET', KEYS[k], value, 'PXAT', string.format('%.0f000', keep))\n      end\n    end\n  end\n  return reply\nend",
                """
                        call('SET', KEYS[k], value, 'PXAT', string.format('%.0f000', keep)) end end end
                if #items <= 5 then return reply end
                local kept = { now }
                for at = #reply - 1, 2, -2 do
                  kept[#kept + 1], kept[#kept + 2] = reply[at], reply[at + 1]
                end
                return kept end
                """)
            .ofAcquire();
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = nodesThatBatch(proxy, reordered)) {
      fails(nodes.history());
    }
  }

  @Test
  void acceptsBatchDecidedInOrder() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = nodesThatBatch(proxy, Protocol.CURRENT)) {
      assertThat(HistoryChecker.check(nodes.history()).decisions()).isEqualTo(121);
    }
  }
}
