package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the store sees of Redis in the background. */
class HealthTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static RedisStore start(String uri) {
    RedisStore store = RedisStore.start(RedisSettings.of(uri));
    assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
    return store;
  }

  @Test
  void aPingMayTakeLongerThanACommand() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      proxy.delayReplies(Duration.ofMillis(150));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> store.health().latency().orElse(Duration.ZERO).toMillis() >= 100);
      assertThat(store.health().up()).isTrue();
    }
  }

  @Test
  void namesTheAddressWhileItIsDown() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri().replace("redis://", "redis://:s3cret@"))) {
      proxy.stall();
      await().atMost(Duration.ofSeconds(20)).until(() -> !store.health().up());
      assertThat(store.health().reason().orElseThrow())
          .contains("127.0.0.1:" + proxy.port())
          .doesNotContain("s3cret");
    }
  }

  @Test
  void goesOnLookingWhenAnObserverThrows() {
    AtomicInteger recoveries = new AtomicInteger();
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      store.observe(
          new CallObserver() {
            @Override
            public void answered(String node, long nanos) {}

            @Override
            public void failed(String node, long nanos, StoreException failure) {}

            @Override
            public void recovered() {
              recoveries.incrementAndGet();
              throw new IllegalStateException("an observer's mistake");
            }
          });
      for (int i = 1; i <= 2; i++) {
        int outages = i;
        proxy.stall();
        await().atMost(Duration.ofSeconds(20)).until(() -> !store.health().up());
        proxy.resume();
        await().atMost(Duration.ofSeconds(20)).until(() -> recoveries.get() == outages);
      }
    }
  }
}
