package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.Refill;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The part of the store contract about forgetting: never before a bucket is full again. */
public interface ForgettingContract extends ProvidesStore {
  /** Whenever a bucket is looked at while it refills, it is as empty as it should be. */
  @Test
  default void nothingIsForgottenWhileABucketRefills() {
    try (CheckedStore store = new CheckedStore(this)) {
      Duration second = store.second();
      List<RateLimitBand> bands =
          List.of(
              RateLimitBand.of(5, 1, second),
              RateLimitBand.builder()
                  .capacity(5)
                  .refillTokens(2)
                  .period(second)
                  .refill(Refill.INTERVAL)
                  .build(),
              RateLimitBand.slidingWindow(5, second.multipliedBy(2)),
              RateLimitBand.fixedWindow(5, second.multipliedBy(2)));
      List<RateLimitKey> keys = bands.stream().map(store::key).toList();
      RateLimitKey together = store.key(bands.toArray(RateLimitBand[]::new));
      keys.forEach(key -> store.take(key, 5));
      store.take(together, 5);
      for (int i = 0; i < 14; i++) {
        store.pass(second.dividedBy(2));
        store.forget();
        keys.forEach(key -> store.look(key, 1));
        store.look(together, 1);
      }
      keys.forEach(key -> assertThat(store.take(key, 5).allowed()).isTrue());
      assertThat(store.take(together, 5).allowed()).isTrue();
    }
  }

  /** Many other callers do not make the store forget an exhausted one. */
  @Test
  default void manyOthersDoNotRefreshAnExhaustedCaller() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey exhausted = store.key(CheckedStore.rule("r", CheckedStore.slow(3)), "exhausted");
      assertThat(store.drain(exhausted)).isEqualTo(3);
      for (int i = 0; i < 2000; i++) {
        store.take(store.key(CheckedStore.rule("r", CheckedStore.slow(3)), "other-" + i), 1);
      }
      store.forget();
      assertThat(store.drain(exhausted)).isZero();
    }
  }

  /** A caller that comes back long after is as good as new. */
  @Test
  default void aBucketIsFullAfterItsTimeToFull() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(4, 2, store.second()));
      for (int round = 0; round < 3; round++) {
        assertThat(store.take(key, 4).allowed()).isTrue();
        store.pass(store.second().multipliedBy(2));
        store.forget();
      }
    }
  }
}
