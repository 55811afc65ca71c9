package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The flat paths of the script decide as the reference does; batches are forced by a slow reply.
 */
@Tag("faults")
class FlatScriptTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final BucketLimits ONE =
      Nodes.rule("one", RateLimitBand.of(12, 7, Duration.ofMillis(90)));
  private static final BucketLimits WHOLE =
      Nodes.rule("whole", RateLimitBand.of(10, 10, Duration.ofMillis(50)));
  private static final BucketLimits THREE =
      Nodes.rule(
          "three",
          RateLimitBand.of(8, 7, Duration.ofMillis(90)),
          RateLimitBand.of(20, 10, Duration.ofMillis(100)),
          RateLimitBand.of(50, 3, Duration.ofMillis(31)));

  /** Submits acquisitions of many callers while replies are delayed, again and again. */
  private static void decidesAsReference(BucketLimits... limits) {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri())) {
      StorageProvider node = nodes.add();
      proxy.delayReplies(Duration.ofMillis(5));
      SplittableRandom random = new SplittableRandom(5);
      for (int round = 0; round < 15; round++) {
        List<CompletableFuture<Outcome>> results = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
          RateLimitKey key =
              new RateLimitKey(limits[random.nextInt(limits.length)], "c" + random.nextInt(40));
          long cost = random.nextInt(30) == 0 ? 100 : 1;
          results.add(node.acquire(Acquisition.of(key, cost)).toCompletableFuture());
        }
        results.forEach(CompletableFuture::join);
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      assertThat(report.decisions()).isEqualTo(15 * 150);
      assertThat(report.acquired()).isBetween(200L, 15 * 150L - 100);
    }
  }

  @Test
  void decidesOneBandAsReference() {
    decidesAsReference(ONE, WHOLE);
  }

  @Test
  void decidesThreeBandsAsReference() {
    decidesAsReference(THREE);
  }

  @Test
  void decidesMixedBandsAsReference() {
    decidesAsReference(ONE, THREE);
  }

  @Test
  void decidesFiveBandsAsReference() {
    decidesAsReference(
        Nodes.rule(
            "five",
            RateLimitBand.of(8, 7, Duration.ofMillis(90)),
            RateLimitBand.of(20, 10, Duration.ofMillis(100)),
            RateLimitBand.of(30, 9, Duration.ofMillis(77)),
            RateLimitBand.of(40, 20, Duration.ofMillis(200)),
            RateLimitBand.of(50, 3, Duration.ofMillis(31))));
  }

  /** A script whose time is quadratic in the bands takes several seconds for so many. */
  @Test
  void timeOfScriptIsLinearInBands() {
    RateLimitBand[] bands = new RateLimitBand[40_000];
    Arrays.setAll(bands, i -> RateLimitBand.of(10 + i, 1, Duration.ofHours(1)));
    try (Nodes nodes = new Nodes(REDIS.get().uri()).within(Duration.ofSeconds(4))) {
      Acquisition one = Acquisition.of(new RateLimitKey(Nodes.rule("many", bands), "c"), 1);
      assertThat(nodes.add().acquireAndWait(one).allowed()).isTrue();
    }
  }

  /** MGET does not tell a value of another type from an absent one. */
  @Test
  void failsOnlyAcquisitionsWhoseValueIsForeign() {
    for (BucketLimits limits : List.of(WHOLE, THREE)) {
      for (long cost : new long[] {1, 100}) {
        failsOnlyForeign(limits, cost);
      }
    }
  }

  private static void failsOnlyForeign(BucketLimits limits, long cost) {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        Nodes nodes = new Nodes(proxy.uri())) {
      StorageProvider node = nodes.add();
      RateLimitKey hash = new RateLimitKey(limits, "hash");
      RateLimitKey text = new RateLimitKey(limits, "text");
      RateLimitKey good = new RateLimitKey(limits, "good");
      REDIS.get().command("HSET", nodes.redisKey(hash), "field", "value");
      REDIS.get().command("SET", nodes.redisKey(text), "text");
      proxy.delayReplies(Duration.ofMillis(20));
      CompletableFuture<Outcome> first =
          node.acquire(Acquisition.of(good, 1)).toCompletableFuture();
      List<CompletableFuture<Outcome>> results = new ArrayList<>();
      for (RateLimitKey key : List.of(good, hash, text, good)) {
        results.add(node.acquire(Acquisition.of(key, cost)).toCompletableFuture());
      }
      assertThat(first.join().allowed()).isTrue();
      assertThat(results.get(0).join().allowed()).isEqualTo(cost == 1);
      assertThatThrownBy(results.get(1)::join).hasCauseInstanceOf(StoreException.class);
      assertThatThrownBy(results.get(2)::join).hasCauseInstanceOf(StoreException.class);
      assertThat(results.get(3).join().allowed()).isEqualTo(cost == 1);
      assertThat(REDIS.get().command("TYPE", nodes.redisKey(hash))).isEqualTo("hash");
      assertThat(REDIS.get().command("GET", nodes.redisKey(text))).isEqualTo("text");
    }
  }
}
