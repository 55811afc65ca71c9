package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acquisitions of more keys than a byte can count. */
class ManyKeysTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  /** Returns an acquisition of this many rules, each with its own limits. */
  private static Acquisition of(int keys, boolean dryRun) {
    Acquisition.Builder all = Acquisition.builder().dryRun(dryRun);
    for (int i = 0; i < keys; i++) {
      all.add(new RateLimitKey(Nodes.rule("rule-" + i, Nodes.slow(2L + i)), "somebody"), 1, false);
    }
    return all.build();
  }

  @ParameterizedTest
  @ValueSource(ints = {254, 255, 256, 257, 511, 512, 513, 5000})
  void decidesAnyNumberOfKeys(int keys) {
    try (Nodes nodes = new Nodes(REDIS.get().uri()).within(Duration.ofSeconds(20))) {
      StorageProvider node = nodes.add();
      assertThat(Nodes.await(node, of(keys, true)).allowed()).isTrue();
      assertThat(Nodes.await(node, of(keys, false)).allowed()).isTrue();
      assertThat(Nodes.await(node, of(keys, false)).allowed()).isTrue();
      Outcome third = Nodes.await(node, of(keys, false));
      assertThat(third.allowed()).isFalse();
      assertThat(third.passed(0)).isFalse();
      assertThat(third.passed(keys - 1)).isTrue();
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.buckets()).isEqualTo(keys);
      assertThat(report.acquired()).isEqualTo(2L * keys);
    }
  }

  @Tag("faults")
  @Test
  void sendsAcquisitionOfManyKeysInItsOwnCall() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri()).within(Duration.ofSeconds(20))) {
      StorageProvider node = nodes.add();
      RateLimitKey small = new RateLimitKey(Nodes.rule("small", Nodes.slow(1000)), "somebody");
      Nodes.take(node, small, 1);
      proxy.delayReplies(Duration.ofMillis(50));
      List<CompletableFuture<Outcome>> results = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Acquisition next = i % 10 == 5 ? of(300, i % 20 == 5) : Acquisition.of(small, 1 + i % 3);
        results.add(node.acquire(next).toCompletableFuture());
      }
      results.forEach(result -> assertThat(result.join().allowed()).isTrue());
      HistoryChecker.check(nodes.history());
    }
  }
}
