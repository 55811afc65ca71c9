package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.CheckedStore.Drained;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The part of the store contract about token buckets. */
public interface TokenBucketContract extends ProvidesStore {
  /** Ten calls are allowed; the eleventh is denied and allowed after the advertised wait. */
  @Test
  default void deniesTheEleventhOfTenUntilTheAdvertisedWait() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 1, Duration.ofSeconds(1)));
      for (int left = 9; left >= 0; left--) {
        Decision decision = store.acquire(key, 1);
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.remaining()).isEqualTo(left);
      }
      Decision eleventh = store.acquire(key, 1);
      assertThat(eleventh.allowed()).isFalse();
      assertThat(eleventh.await()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
      store.advance(eleventh.await());
      assertThat(store.acquire(key, 1).allowed()).isTrue();
      assertThat(store.acquire(key, 1).allowed()).isFalse();
    }
  }

  /** Fractions of tokens are kept between calls that come slightly too early. */
  @Test
  default void keepsFractionsOfTokensBetweenCalls() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 10, store.second().multipliedBy(10)));
      assertThat(store.acquire(key, 10).allowed()).isTrue();
      int passed = 0;
      for (int i = 0; i < 12; i++) {
        store.advance(store.second().multipliedBy(95).dividedBy(100));
        passed += store.acquire(key, 1).allowed() ? 1 : 0;
      }
      assertThat(passed).isGreaterThanOrEqualTo(11);
    }
  }

  /** Calls that are denied do not add tokens. */
  @Test
  default void deniedCallsAddNoTokens() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 1, store.second()));
      assertThat(store.acquire(key, 10).allowed()).isTrue();
      int passed = 0;
      for (int i = 0; i < 100; i++) {
        store.advance(store.second().dividedBy(100));
        passed += store.acquire(key, 1).allowed() ? 1 : 0;
      }
      if (store.hasManualClock()) {
        assertThat(passed).isEqualTo(1);
      }
    }
  }

  /** Many small refills add up without loss. */
  @Test
  default void manySmallRefillsAddUpExactly() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(1000, 1, Duration.ofSeconds(1)));
      assertThat(store.acquire(key, 1000).allowed()).isTrue();
      int refills = store.hasManualClock() ? 50_000 : 100;
      int passed = 0;
      for (int i = 0; i < refills; i++) {
        store.advance(Duration.ofMillis(1));
        passed += store.acquire(key, 1).allowed() ? 1 : 0;
      }
      if (store.hasManualClock()) {
        assertThat(passed).isEqualTo(50);
      }
    }
  }

  /** A call one microsecond too early is denied, with a wait of one microsecond. */
  @Test
  default void theAdvertisedWaitIsExact() {
    try (CheckedStore store = new CheckedStore(this)) {
      ManualClock clock = store.movableClock();
      RateLimitKey key = store.key(RateLimitBand.of(7, 7, Duration.ofSeconds(3)));
      store.drain(key);
      clock.advance(store.acquire(key, 5).await().minusNanos(1000));
      Decision early = store.acquire(key, 5);
      assertThat(early.allowed()).isFalse();
      assertThat(early.await()).isEqualTo(Duration.ofNanos(1000));
      clock.advance(early.await());
      assertThat(store.acquire(key, 5).allowed()).isTrue();
    }
  }

  /** Interval refill adds tokens at the end of each period since the bucket was full. */
  @Test
  default void intervalRefillComesAtTheEndOfWholePeriods() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key =
          store.key(
              RateLimitBand.builder()
                  .capacity(10)
                  .refillTokens(3)
                  .period(store.second().multipliedBy(5))
                  .refill(Refill.INTERVAL)
                  .build());
      assertThat(store.acquire(key, 10).allowed()).isTrue();
      store.advance(store.second());
      Drained drained = store.acquireUntilDenied(key, 1);
      store.advance(drained.denied().await());
      assertThat(store.acquire(key, 3).allowed()).isTrue();
      Decision next = store.acquire(key, 1);
      if (store.hasManualClock()) {
        assertThat(drained.allowed()).isZero();
        assertThat(next.allowed()).isFalse();
      }
    }
  }

  /** A cost is acquired whole or not at all. */
  @Test
  default void acquiresACostWholeOrNotAtAll() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(5));
      assertThat(store.acquire(key, 3).allowed()).isTrue();
      assertThat(store.acquire(key, 4).allowed()).isFalse();
      assertThat(store.acquire(key, 2).allowed()).isTrue();
      assertThat(store.acquire(key, 1).allowed()).isFalse();
    }
  }

  /** A cost above the capacity is always denied, and acquires nothing. */
  @Test
  default void deniesACostAboveTheCapacity() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(5));
      assertThat(store.acquire(key, 6).allowed()).isFalse();
      assertThat(store.acquire(key, RateLimitBand.MAX_TOKENS).allowed()).isFalse();
      assertThat(store.acquire(key, 5).allowed()).isTrue();
      assertThat(store.acquire(key, RateLimitBand.MAX_TOKENS + 1).allowed()).isFalse();
    }
  }

  /** The largest numbers neither overflow nor round. */
  @Test
  default void theLargestBandsCountToTheLastToken() {
    try (CheckedStore store = new CheckedStore(this)) {
      long most = RateLimitBand.MAX_TOKENS;
      RateLimitKey year = store.key(RateLimitBand.of(most, 999_999_999_989L, Duration.ofDays(366)));
      assertThat(store.acquire(year, most - 7).allowed()).isTrue();
      store.advance(Duration.ofMillis(1));
      store.drain(store.key(RateLimitBand.of(3, 1, Duration.ofDays(366))));
      store.acquire(year, most);
      store.acquire(store.key(RateLimitBand.of(most, most, Duration.ofMillis(1))), most);
    }
  }

  /** A clock that steps back delays a caller by no more than the time to full. */
  @Test
  default void aClockThatStepsBackDelaysNoCallerBeyondTimeToFull() {
    try (CheckedStore store = new CheckedStore(this)) {
      ManualClock clock = store.movableClock();
      RateLimitKey one = store.key(RateLimitBand.of(10, 1, Duration.ofSeconds(1)));
      RateLimitKey several =
          store.key(
              RateLimitBand.of(10, 1, Duration.ofSeconds(1)),
              RateLimitBand.builder()
                  .capacity(10)
                  .period(Duration.ofSeconds(10))
                  .refill(Refill.INTERVAL)
                  .build(),
              RateLimitBand.slidingWindow(10, Duration.ofSeconds(10)),
              RateLimitBand.fixedWindow(10, Duration.ofSeconds(10)));
      store.acquire(one, 10);
      store.acquire(several, 10);
      clock.stepBack(Duration.ofHours(1));
      assertThat(store.acquire(one, 1).allowed()).isFalse();
      assertThat(store.acquire(several, 1).allowed()).isFalse();
      clock.advance(Duration.ofSeconds(20));
      assertThat(store.acquire(one, 10).allowed()).isTrue();
      assertThat(store.acquire(several, 10).allowed()).isTrue();
    }
  }
}
