package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.internal.StoreLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults of members while several nodes use them: the history must stay exact. */
@Tag("faults")
class HazelcastFaultTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  @Test
  void decidesExactlyWhenAnOwnerIsKilledUnderLoad() {
    try (Clusters cluster = new Clusters(3)) {
      HazelcastStore member = cluster.start(cluster.embedded().withTimeout(TIMEOUT));
      Process killed = cluster.startProcess();
      cluster.startProcess();
      HazelcastStore client = cluster.start(cluster.client().withTimeout(TIMEOUT));
      History history = History.acrossSlots(key -> CallerEntry.key(key.identity()));
      List<StorageProvider> nodes =
          List.of(history.record("member", member), history.record("client", client));
      await().until(() -> member.health().details().get("members").equals("3"));
      try (StoreLoad load = new StoreLoad(nodes, 8, StoreLoad.mixed(20))) {
        load.awaitDecisions(2000);
        killed.destroyForcibly();
        load.awaitDecisions(2000);
        await().until(() -> member.health().details().get("members").equals("2"));
        load.awaitDecisions(2000);
        System.out.println(
            "figure: longest gap " + load.longestGap().toMillis() + " ms, " + load.failures());
        assertThat(load.longestGap()).isLessThan(Duration.ofSeconds(2));
      }
      System.out.println("owner killed: " + HistoryChecker.check(history));
    }
  }

  @Test
  void decidesExactlyWhileAMemberJoinsAndLeaves() {
    try (Clusters cluster = new Clusters(2)) {
      HazelcastStore member = cluster.start(cluster.embedded().withTimeout(TIMEOUT));
      History history = History.acrossSlots(key -> CallerEntry.key(key.identity()));
      List<StorageProvider> nodes = List.of(history.record("member", member));
      try (StoreLoad load = new StoreLoad(nodes, 8, StoreLoad.mixed(20))) {
        load.awaitDecisions(1000);
        Process joining = cluster.startProcess();
        load.awaitDecisions(2000);
        joining.destroyForcibly();
        load.awaitDecisions(2000);
        System.out.println(
            "figure: longest gap " + load.longestGap().toMillis() + " ms, " + load.failures());
        assertThat(load.longestGap()).isLessThan(Duration.ofSeconds(2));
      }
      System.out.println("joining: " + HistoryChecker.check(history));
    }
  }

  /** Callers of several entries, such as one caller and all callers. */
  @Test
  void refundsAcrossEntriesNeverAllowTooMuch() {
    // It refills, so that a possible refund expires: the checker would otherwise have to try every
    // subset of all refunds so far, and its time would grow exponentially.
    BucketLimits all = StoreLoad.rule("all", RateLimitBand.of(1000, 3000, Duration.ofSeconds(1)));
    BucketLimits own = StoreLoad.rule("own", RateLimitBand.of(50, 200, Duration.ofSeconds(1)));
    Function<SplittableRandom, Acquisition> acquisitions =
        random ->
            Acquisition.builder()
                .take(new RateLimitKey(all, ""), 1)
                .take(new RateLimitKey(own, "caller-" + random.nextInt(9)), 1 + random.nextInt(3))
                .build();
    try (Clusters cluster = new Clusters(2)) {
      History history = History.acrossSlots(key -> CallerEntry.key(key.identity()));
      List<StorageProvider> nodes =
          List.of(
              history.record("a", cluster.start(cluster.embedded())),
              history.record("b", cluster.start(cluster.embedded())));
      cluster.awaitSafe();
      try (StoreLoad load = new StoreLoad(nodes, 8, acquisitions)) {
        load.awaitDecisions(3000);
        assertThat(load.failures()).isEmpty();
      }
      System.out.println("across: " + HistoryChecker.check(history));
    }
  }

  @Test
  void failsByItsDeadlineWhileAMemberHangs() throws Exception {
    Duration timeout = Duration.ofMillis(250);
    try (Clusters cluster = new Clusters(2)) {
      Process hanging = cluster.startProcess();
      HazelcastStore client = cluster.start(cluster.client().withTimeout(timeout));
      try (StoreLoad load = new StoreLoad(List.of(client), 8, StoreLoad.mixed(20))) {
        load.awaitDecisions(200);
        signal(hanging, "STOP");
        long failed = load.failed();
        await().until(() -> load.failed() > failed + 50);
        signal(hanging, "CONT");
        load.awaitDecisions(200);
        assertThat(load.longestCall()).isLessThan(timeout.multipliedBy(4));
      }
    }
  }

  /** Hazelcast would repeat a call, although the owner may have taken the tokens. */
  @Test
  void repeatsNoAcquisitionWhoseOwnerDied() throws Exception {
    Duration timeout = Duration.ofMillis(500);
    try (Clusters cluster = new Clusters(2)) {
      HazelcastStore member = cluster.start(cluster.embedded().withTimeout(timeout));
      Process killed = cluster.startProcess();
      HazelcastStore client = cluster.start(cluster.client().withTimeout(timeout));
      cluster.awaitSafe();
      HazelcastInstance staying = cluster.instances().get(0);
      List<RateLimitKey> keys = keysOfOtherMember(staying, 8);
      for (int i = 0; i < keys.size(); i++) {
        // The first call of the client to a member may need more time.
        HazelcastStore store = i % 2 == 0 ? member : client;
        RateLimitKey key = keys.get(i);
        await().ignoreException(StoreException.class).until(() -> isFull(store, key));
      }
      signal(killed, "STOP");
      List<CompletableFuture<Outcome>> sent = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        HazelcastStore store = i % 2 == 0 ? member : client;
        sent.add(store.acquire(Acquisition.of(keys.get(i), 1)).toCompletableFuture());
      }
      sent.forEach(
          acquisition ->
              assertThatThrownBy(acquisition::join)
                  .hasMessageContaining("it is unknown whether the tokens were taken"));

      killed.destroyForcibly();

      await()
          .atMost(Duration.ofSeconds(60))
          .during(Duration.ofSeconds(1))
          .ignoreException(StoreException.class)
          .until(() -> keys.stream().allMatch(key -> isFull(member, key)));
    }
  }

  private static List<RateLimitKey> keysOfOtherMember(HazelcastInstance member, int count) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> Clusters.key("two", 2, "caller-" + i))
        .filter(
            key ->
                !member
                    .getPartitionService()
                    .getPartition(CallerEntry.key(key.identity()))
                    .getOwner()
                    .localMember())
        .limit(count)
        .toList();
  }

  private static boolean isFull(HazelcastStore store, RateLimitKey key) {
    return store.acquireAndWait(Acquisition.of(key, 2, false, true)).allowed();
  }

  private static void signal(Process process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }
}
