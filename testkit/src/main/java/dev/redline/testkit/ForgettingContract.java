package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The part of the store contract about eviction: no bucket is removed before it is full. */
public interface ForgettingContract extends ProvidesStore {
  /** A bucket that refills has the expected tokens at any time, whether the store evicts or not. */
  @Test
  default void keepsABucketWhileItRefills() {
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
      keys.forEach(key -> store.acquire(key, 5));
      store.acquire(together, 5);
      for (int i = 0; i < 14; i++) {
        store.advance(second.dividedBy(2));
        store.evict();
        keys.forEach(key -> store.dryRun(key, 1));
        store.dryRun(together, 1);
      }
      keys.forEach(key -> assertThat(store.acquire(key, 5).allowed()).isTrue());
      assertThat(store.acquire(together, 5).allowed()).isTrue();
    }
  }

  /** Many other callers do not evict an exhausted bucket. */
  @Test
  default void keepsAnExhaustedBucketAmongManyOthers() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey exhausted = store.key(CheckedStore.rule("r", CheckedStore.slow(3)), "exhausted");
      assertThat(store.drain(exhausted)).isEqualTo(3);
      for (int i = 0; i < 2000; i++) {
        store.acquire(store.key(CheckedStore.rule("r", CheckedStore.slow(3)), "other-" + i), 1);
      }
      store.evict();
      assertThat(store.drain(exhausted)).isZero();
    }
  }

  /** A bucket is full again after its time to full, whether the store evicted it or not. */
  @Test
  default void aBucketIsFullAfterItsTimeToFull() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(4, 2, store.second()));
      for (int round = 0; round < 3; round++) {
        assertThat(store.acquire(key, 4).allowed()).isTrue();
        store.advance(store.second().multipliedBy(2));
        store.evict();
      }
    }
  }
}
