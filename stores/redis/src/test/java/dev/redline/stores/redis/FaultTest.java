package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults of one Redis while several nodes use it: the history must stay exact. */
@Tag("faults")
class FaultTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static void report(String what, HistoryChecker.Report report) {
    System.out.println(what + ": " + report);
  }

  @Test
  void decidesExactlyWhileScriptsAreFlushed() {
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      try (ConcurrentLoad load = new ConcurrentLoad(nodes.add(2), 8, ConcurrentLoad.mixed(3))) {
        for (int i = 0; i < 40; i++) {
          REDIS.get().command("SCRIPT", "FLUSH");
          load.awaitDecisions(100);
        }
        assertThat(load.failures()).isEmpty();
      }
      report("SCRIPT FLUSH", HistoryChecker.check(nodes.history()));
    }
  }

  @Test
  void chargesAtMostOnceWhenConnectionIsCutBeforeReply() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri())) {
      List<StorageProvider> ways = List.of(nodes.add(), nodes.add(REDIS.get().uri()));
      try (ConcurrentLoad load = new ConcurrentLoad(ways, 8, ConcurrentLoad.mixed(2))) {
        for (int i = 1; i <= 10; i++) {
          int cuts = i;
          load.awaitDecisions(200);
          proxy.cutBeforeReply(1);
          await().atMost(Duration.ofSeconds(10)).until(() -> proxy.struck() == cuts);
        }
        load.awaitDecisions(200);
        proxy.resetConnections();
        load.awaitDecisions(200);
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      report("cut between write and reply", report);
      assertThat(report.unknown()).isPositive();
      assertThat(report.unknownAcquired()).isPositive();
    }
  }

  @Test
  void chargesAtMostOnceWhenReplyIsLate() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).within(Duration.ofMillis(100))) {
      List<StorageProvider> ways = List.of(nodes.add(), nodes.add(REDIS.get().uri()));
      try (ConcurrentLoad load = new ConcurrentLoad(ways, 8, ConcurrentLoad.mixed(2))) {
        for (int i = 0; i < 3; i++) {
          load.awaitDecisions(200);
          long failed = load.failed();
          proxy.stall();
          await().atMost(Duration.ofSeconds(10)).until(() -> load.failed() > failed);
          proxy.resume();
        }
        load.awaitDecisions(200);
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      report("stalled replies", report);
      assertThat(report.unknownAcquired()).isPositive();
    }
  }

  @Test
  void usesNewBucketsWhenLimitsChangeUnderLoad() {
    AtomicReference<BucketLimits> limits = new AtomicReference<>();
    AtomicInteger changes = new AtomicInteger();
    Runnable change =
        () ->
            limits.set(
                Nodes.rule(
                    "r",
                    RateLimitBand.of(
                        100 + 50 * (changes.getAndIncrement() % 3), 500, Duration.ofSeconds(1))));
    change.run();
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      try (ConcurrentLoad load =
          new ConcurrentLoad(
              nodes.add(2), 8, random -> Acquisition.of(new RateLimitKey(limits.get(), "x"), 1))) {
        for (int i = 0; i < 12; i++) {
          load.awaitDecisions(100);
          change.run();
        }
        assertThat(load.failures()).isEmpty();
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      report("limits changed", report);
      assertThat(report.buckets()).isEqualTo(3);
    }
  }

  @Test
  void storesWithDifferentLayoutsShareNoBuckets() {
    Protocol next =
        new Protocol(
            Protocol.CURRENT.acquire(),
            Protocol.CURRENT.acquireOne(),
            Protocol.CURRENT.refund(),
            Protocol.CURRENT.refundLast(),
            "3");
    try (Nodes old = new Nodes(REDIS.get().uri());
        Nodes young = old.beside().speaking(next)) {
      try (ConcurrentLoad before = new ConcurrentLoad(old.add(1), 4, ConcurrentLoad.mixed(2));
          ConcurrentLoad after = new ConcurrentLoad(young.add(1), 4, ConcurrentLoad.mixed(2))) {
        before.awaitDecisions(1000);
        after.awaitDecisions(1000);
        assertThat(before.failures()).isEmpty();
        assertThat(after.failures()).isEmpty();
      }
      report("old layout", HistoryChecker.check(old.history()));
      report("new layout", HistoryChecker.check(young.history()));
    }
  }

  @Test
  void malformedValueFailsOnlyItsOwnAcquisitionsAndIsKept() {
    BucketLimits limits = Nodes.rule("slow", Nodes.slow(100_000));
    RateLimitKey poisoned = new RateLimitKey(limits, "poisoned");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      List<StorageProvider> both = nodes.add(2);
      Nodes.take(both.get(0), poisoned, 5);
      AtomicInteger bad = new AtomicInteger();
      try (ConcurrentLoad load = new ConcurrentLoad(both, 6, ConcurrentLoad.mixed(2))) {
        for (String poison : List.of("x", "", "a string that is as long", "list")) {
          REDIS.get().command("DEL", nodes.redisKey(poisoned));
          if (poison.equals("list")) {
            REDIS.get().command("RPUSH", nodes.redisKey(poisoned), "x");
          } else {
            REDIS.get().command("SET", nodes.redisKey(poisoned), poison);
          }
          for (int i = 0; i < 20; i++) {
            try {
              Nodes.take(both.get(i % 2), poisoned, 1);
            } catch (StoreException e) {
              assertThat(e.kind()).isEqualTo(StoreException.Kind.BAD_STATE);
              bad.incrementAndGet();
            }
          }
          load.awaitDecisions(200);
          if (!poison.equals("list")) {
            assertThat(REDIS.get().command("GET", nodes.redisKey(poisoned))).isEqualTo(poison);
          }
        }
        assertThat(load.failures()).isEmpty();
      }
      assertThat(bad).hasValue(80);
      report("poisoned", HistoryChecker.check(nodes.history()));
    }
  }
}
