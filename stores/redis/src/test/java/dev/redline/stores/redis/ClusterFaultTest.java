package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster of two masters, one of which stops. */
@Tag("faults")
@Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFaultTest {
  @RegisterExtension
  static final RedisExtension<RedisCluster> REDIS =
      RedisExtension.of(() -> RedisCluster.start(RedisBinary.any(), 2, false));

  private static final BucketLimits PLENTY = Nodes.rule("plenty", Nodes.slow(100_000));
  private static final RateLimitKey HERE = Nodes.keyOn(PLENTY, 0, 2);
  private static final RateLimitKey THERE = Nodes.keyOn(PLENTY, 1, 2);

  private static RedisServer master(int i) {
    return REDIS.get().masters().get(i);
  }

  private static RedisSettings settings(String uri, List<String> nodes, int maxQueued) {
    return new RedisSettings(
        new RedisConnectionSettings(uri, nodes, Optional.empty(), Duration.ofSeconds(1)),
        Duration.ofSeconds(5),
        "t",
        4,
        64,
        maxQueued,
        LeaseSettings.OFF);
  }

  @Test
  void deniesAcrossSlotsWithoutWaitingForTheRefund() throws Exception {
    RateLimitKey exhausted = Nodes.keyOn(Nodes.rule("second", Nodes.slow(1)), 1, 2);
    try (Nodes nodes = new Nodes(REDIS.get().uri()).within(Duration.ofSeconds(40))) {
      StorageProvider node = nodes.add();
      assertThat(Nodes.take(node, exhausted, 1).allowed()).isTrue();
      assertThat(Nodes.take(node, HERE, 1).allowed()).isTrue();
      String bucket = nodes.redisKey(HERE);
      Object before = master(0).command("GET", bucket);
      master(1).pause();
      try {
        CompletableFuture<Outcome> denied =
            node.acquire(Acquisition.builder().take(HERE, 5).take(exhausted, 1).build())
                .toCompletableFuture();
        await().until(() -> !before.equals(master(0).command("GET", bucket)));
        master(0).pause();
        master(1).resume();
        assertThat(denied.get(20, TimeUnit.SECONDS).allowed()).isFalse();
      } finally {
        master(0).resume();
        master(1).resume();
      }
      await().until(() -> fullAt(before) == fullAt(master(0).command("GET", bucket)));
      HistoryChecker.check(nodes.history());
    }
  }

  private static long fullAt(Object value) {
    return BucketValue.of(value).fullAtMicros();
  }

  @Test
  void limitsQueueOfAllLanesTogether() {
    int maxQueued = 50;
    RedisStore store = RedisStore.start(settings(REDIS.get().uri(), List.of(), maxQueued));
    try (store) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      master(0).pause();
      master(1).pause();
      List<CompletableFuture<Outcome>> results = new ArrayList<>();
      int perLane = 400;
      SlotTags tags = store.keys().tags();
      for (int lane = 0; lane < tags.count(); lane++) {
        RateLimitKey key = Nodes.keyInLane(PLENTY, tags, lane);
        for (int i = 0; i < perLane; i++) {
          results.add(store.acquire(Acquisition.of(key, 1 + i)).toCompletableFuture());
        }
      }
      long waiting = results.stream().filter(result -> !result.isDone()).count();
      // Each master has at most four calls in flight, of at most 64 acquisitions.
      assertThat(waiting).isBetween((long) maxQueued, maxQueued + 2 * 256L);
      CompletableFuture<Outcome> last = results.get(results.size() - 1);
      assertThatThrownBy(last::join).hasMessageContaining("more than 50 acquisitions are queued");
    } finally {
      master(0).resume();
      master(1).resume();
    }
  }

  /** Returns the connections on which scripts and pings are sent. */
  private static Set<String> connections(RedisServer server) {
    Set<String> ids = new HashSet<>();
    Matcher clients =
        Pattern.compile("id=(\\d+) .* cmd=(?:evalsha|eval|ping|script)")
            .matcher(String.valueOf(server.command("CLIENT", "LIST")));
    while (clients.find()) {
      ids.add(clients.group(1));
    }
    return ids;
  }

  @Test
  void reconnectsToStoppedMasterWhileOtherReplies() {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).within(Duration.ofMillis(200))) {
      StorageProvider node = nodes.add();
      Nodes.take(node, THERE, 1);
      Set<String> before = connections(master(1));
      assertThat(before).isNotEmpty();
      master(1).pause();
      try {
        for (int timeouts = 0; timeouts < 4; ) {
          Nodes.take(node, HERE, 1);
          try {
            Nodes.take(node, THERE, 1);
          } catch (StoreException e) {
            timeouts++;
          }
        }
      } finally {
        master(1).resume();
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptions()
          .until(() -> Nodes.take(node, THERE, 1).allowed());
      assertThat(connections(master(1))).isNotEmpty().doesNotContainAnyElementsOf(before);
      HistoryChecker.check(nodes.history());
    }
  }

  @Test
  void connectsThroughAnyLiveNode() {
    String dead = "127.0.0.1:" + RedisServer.freePort();
    String live = "127.0.0.1:" + master(1).port();
    RedisStore store = RedisStore.start(settings("redis://" + dead, List.of(dead, live), 10_000));
    try (store) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      assertThat(store.acquireAndWait(Acquisition.of(HERE, 1)).allowed()).isTrue();
      assertThat(store.acquireAndWait(Acquisition.of(THERE, 1)).allowed()).isTrue();
    }
  }
}
