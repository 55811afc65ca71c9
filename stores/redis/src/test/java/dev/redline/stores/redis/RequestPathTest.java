package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each step on the way to Redis is done once. */
class RequestPathTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static RateLimitKey key(String caller) {
    return new RateLimitKey(Nodes.rule("rule-of-" + caller, Nodes.slow(1)), caller);
  }

  @Test
  void deniesFromDenyCacheInAcquireNowOnly() {
    Acquisition acquisition = Acquisition.of(key("caller"), 1);
    try (RedisStore store =
        RedisStore.start(
            RedisSettings.of(REDIS.get().uri()).withCommandTimeout(Duration.ofSeconds(10)))) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      Outcome fromCache = new Outcome();
      assertThat(store.acquireNow(acquisition, fromCache)).isFalse();
      assertThat(store.acquireAndWait(acquisition).allowed()).isTrue();
      assertThat(store.acquireAndWait(acquisition).allowed()).isFalse();

      assertThat(store.acquireNow(acquisition, fromCache)).isTrue();
      assertThat(fromCache.allowed()).isFalse();
      assertThat(fromCache.recalled()).isTrue();
      Outcome fromRedis = store.acquireAndWait(acquisition);
      assertThat(fromRedis.allowed()).isFalse();
      assertThat(fromRedis.recalled()).isFalse();
    }
  }

  @Test
  void makesEachBucketKeyOnce() {
    PendingAcquisition whole =
        new PendingAcquisition(
            Acquisition.builder().take(key("a"), 1).take(key("b"), 2).take(key("c"), 3).build(),
            new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4)),
            System.nanoTime(),
            Waiter.CONTINUATIONS);
    BucketKey second = whole.key(1);
    assertThat(whole.key(1)).isSameAs(second);

    PendingAcquisition part = whole.part(List.of(2, 1));

    assertThat(part.key(1)).isSameAs(second);
    assertThat(part.key(0)).isSameAs(whole.key(2));
    assertThat(part.acquisition().key(0)).isEqualTo(key("c"));
    assertThat(part.acquisition().cost(0)).isEqualTo(3);
  }
}
