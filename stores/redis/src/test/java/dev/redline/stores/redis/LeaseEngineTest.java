package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.EngineSettings;
import dev.redline.core.Explanation;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.TokenLeases;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What users of an engine see of leases. */
class LeaseEngineTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final long CAPACITY = 50_000;
  private static final LimitCheck CHECK = LimitCheck.ofPlans(List.of("gold"), "caller", 1);

  @Test
  void remainingAndExplanationContainOwnTokens() {
    RedisSettings settings =
        RedisSettings.of(REDIS.get().uri())
            .withCommandTimeout(Duration.ofSeconds(2))
            .withKeyPrefix("engine")
            .withLease(LeaseSettings.ON);
    RedisStore store = RedisStore.start(settings);
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .settings(
                new EngineSettings(
                    false,
                    Optional.empty(),
                    EngineSettings.MissingRules.ALLOW,
                    OnStoreFailure.CLOSED,
                    1.0))
            .build()) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      engine.use(
          RuleBook.builder()
              .plans(List.of(RateLimitPlan.of("gold", Nodes.slow(CAPACITY))))
              .build());
      TokenLeases leases = store.leases().orElseThrow();
      long allowed = 0;
      long explained = 0;
      while (explained == 0 || leases.spent() < 500) {
        RateLimitResult result = engine.decideNow(CHECK, false);
        allowed++;
        assertThat(result.allowed()).isTrue();
        assertThat(result.degraded()).isFalse();
        // Tokens that are on their way to this process are not counted for a moment.
        assertThat(result.remaining().orElseThrow())
            .isBetween(CAPACITY - allowed - CAPACITY / 16, CAPACITY - allowed);
        if (leases.held() > 0 && explained == 0) {
          Explanation explanation = engine.explain(CHECK).toCompletableFuture().join();
          explained = explanation.rules().get(0).leased();
        }
      }
      await().until(() -> leases.held() == 0);
      await()
          .until(() -> leases.acquired() == leases.spent() + leases.refunded() + leases.dropped());
      assertThat(engine.decideNow(CHECK, true).remaining().orElseThrow())
          .isEqualTo(CAPACITY - allowed - leases.dropped() - 1);
    } finally {
      store.close();
    }
  }
}
