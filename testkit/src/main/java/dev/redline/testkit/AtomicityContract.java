package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The part of the store contract about concurrent callers. */
public interface AtomicityContract extends ProvidesStore {
  /** A thousand threads that share one bucket of capacity 100 get exactly 100 tokens. */
  @Test
  default void allowsExactlyAHundredOfAThousandThreads() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(100));
      assertThat(new ConcurrentCallers(1000, 1).countAllowed(store, i -> Acquisition.of(key, 1)))
          .isEqualTo(100);
    }
  }

  /** So they do if the bucket has three bands, the smallest of capacity 100. */
  @Test
  default void allowsExactlyAHundredOfAThousandThreadsUnderThreeBands() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key =
          store.key(
              CheckedStore.slow(120),
              RateLimitBand.slidingWindow(100, Duration.ofDays(365)),
              RateLimitBand.of(110, 1, Duration.ofDays(30)));
      assertThat(new ConcurrentCallers(1000, 1).countAllowed(store, i -> Acquisition.of(key, 1)))
          .isEqualTo(100);
    }
  }

  /** Two keys are acquired together or not at all, in either order and without deadlock. */
  @Test
  default void acquiresTwoKeysTogetherInEitherOrder() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey a = store.key(CheckedStore.rule("a", CheckedStore.slow(100)), "");
      RateLimitKey b =
          store.key(CheckedStore.rule("b", CheckedStore.slow(150), CheckedStore.slow(500)), "");
      IntFunction<Acquisition> both =
          i ->
              i % 2 == 0
                  ? Acquisition.builder().take(a, 1).take(b, 1).build()
                  : Acquisition.builder().take(b, 1).take(a, 1).build();
      assertThat(new ConcurrentCallers(20, 50).countAllowed(store, both)).isEqualTo(100);
      StoreUnderTest plain = store.underTest();
      assertThat(plain.decide(Acquisition.of(b, 50)).allowed()).isTrue();
      assertThat(plain.decide(Acquisition.of(b, 1)).allowed()).isFalse();
    }
  }

  /** The allowed costs never add up to more than the capacity. */
  @Test
  default void mixedCostsNeverAddUpToMoreThanTheCapacity() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(1000));
      AtomicInteger taken = new AtomicInteger();
      new ConcurrentCallers(20, 50)
          .call(
              store,
              i -> Acquisition.of(key, 1 + i % 7),
              acquisition -> taken.addAndGet((int) acquisition.cost(0)));
      StoreUnderTest plain = store.underTest();
      while (plain.decide(Acquisition.of(key, 1)).allowed()) {
        taken.incrementAndGet();
      }
      assertThat(taken.get()).isEqualTo(1000);
    }
  }
}
