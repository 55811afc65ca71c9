package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spends, resets and closing at the same time: nobody blocks, and no token is spent twice. */
@Tag("stress")
class LeaseStressTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final BucketLimits LIMITS =
      Nodes.rule("r", RateLimitBand.of(5_000, 20_000, Duration.ofSeconds(1)));
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "somebody");
  private static final RateLimitKey OTHER = new RateLimitKey(LIMITS, "somebody-else");

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

  private void acquire(StorageProvider node) {
    Acquisition both = Acquisition.builder().take(KEY, 1).take(OTHER, 2).build();
    try {
      for (int i = 0; !stop.get(); i++) {
        Acquisition acquisition =
            i % 8 == 0 ? both : Acquisition.of(i % 2 == 0 ? KEY : OTHER, 1 + i % 3);
        try {
          if (!node.acquireNow(acquisition, new Outcome())) {
            node.acquireAndWait(acquisition);
          }
        } catch (StoreException e) {
          if (stop.get()) {
            return;
          }
          Thread.onSpinWait(); // the store is being closed
        }
        if (i % 200 == 0) {
          Thread.sleep(1);
        }
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      unexpected.compareAndSet(null, e);
    }
  }

  @Test
  @Timeout(90)
  void spendsResetsAndClosingAtOnceLoseNothingAndNeverBlock() throws Exception {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).leasing(LeaseSettings.ON)) {
      StorageProvider node = nodes.add();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread thread = new Thread(() -> acquire(node), "acquire-" + i);
        thread.start();
        threads.add(thread);
      }
      for (int i = 0; i < 5; i++) {
        Thread.sleep(150);
        try (History.Span reset = nodes.history().resetting(OwnerKind.RULE, "r")) {
          if (i % 2 == 0) {
            node.reset(List.of(LIMITS)).toCompletableFuture().join();
          } else {
            node.reset(KEY).toCompletableFuture().join();
            node.reset(OTHER).toCompletableFuture().join();
          }
        }
      }
      Thread.sleep(150);
      nodes.store(0).close();
      Thread.sleep(50);
      stop.set(true);
      for (Thread thread : threads) {
        thread.join(30_000);
        assertThat(thread.isAlive()).as(thread.getName() + " is blocked").isFalse();
      }
      assertThat(unexpected.get()).isNull();
      assertThat(node.acquireNow(Acquisition.of(KEY, 1), new Outcome())).isFalse();
      TokenLeases leases = nodes.store(0).leases().orElseThrow();
      assertThat(leases.held()).isZero();
      assertThat(leases.spent()).isPositive();
      assertThat(leases.acquired())
          .isEqualTo(leases.spent() + leases.refunded() + leases.dropped());
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      System.out.println("figure: " + report);
      // One call decides both keys, so nothing is taken of one while the other denies.
      assertThat(report.refundable()).isZero();
    }
  }
}
