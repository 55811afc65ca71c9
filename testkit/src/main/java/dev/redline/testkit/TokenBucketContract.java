package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.Refill;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The part of the store contract about token buckets. */
public interface TokenBucketContract extends ProvidesStore {
  /** Acceptance 2. */
  @Test
  default void tenPassAndTheEleventhIsToldHowLongToWait() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 1, Duration.ofSeconds(1)));
      for (int left = 9; left >= 0; left--) {
        Decision decision = store.take(key, 1);
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.remaining()).isEqualTo(left);
      }
      Decision eleventh = store.take(key, 1);
      assertThat(eleventh.allowed()).isFalse();
      assertThat(eleventh.await()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
      store.pass(eleventh.await());
      assertThat(store.take(key, 1).allowed()).isTrue();
      assertThat(store.take(key, 1).allowed()).isFalse();
    }
  }

  /** Acceptance 3. */
  @Test
  default void noRemainderIsLostBetweenRequestsThatComeSlightlyTooEarly() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 10, store.second().multipliedBy(10)));
      assertThat(store.take(key, 10).allowed()).isTrue();
      int passed = 0;
      for (int i = 0; i < 12; i++) {
        store.pass(store.second().multipliedBy(95).dividedBy(100));
        passed += store.take(key, 1).allowed() ? 1 : 0;
      }
      assertThat(passed).isGreaterThanOrEqualTo(11);
    }
  }

  /** Acceptance 3. */
  @Test
  default void hammeringWhileRefusedEarnsNothing() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(10, 1, store.second()));
      assertThat(store.take(key, 10).allowed()).isTrue();
      int passed = 0;
      for (int i = 0; i < 100; i++) {
        store.pass(store.second().dividedBy(100));
        passed += store.take(key, 1).allowed() ? 1 : 0;
      }
      if (store.isTimeless()) {
        assertThat(passed).isEqualTo(1);
      }
    }
  }

  /** Acceptance 3. */
  @Test
  default void manySmallRefillsAddUpExactly() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.of(1000, 1, Duration.ofSeconds(1)));
      assertThat(store.take(key, 1000).allowed()).isTrue();
      int refills = store.isTimeless() ? 50_000 : 100;
      int passed = 0;
      for (int i = 0; i < refills; i++) {
        store.pass(Duration.ofMillis(1));
        passed += store.take(key, 1).allowed() ? 1 : 0;
      }
      if (store.isTimeless()) {
        assertThat(passed).isEqualTo(50);
      }
    }
  }

  /** A caller that comes too early by a microsecond is refused, and told that microsecond. */
  @Test
  default void theAdvertisedWaitIsExact() {
    try (CheckedStore store = new CheckedStore(this)) {
      ManualClock clock = store.movableClock();
      RateLimitKey key = store.key(RateLimitBand.of(7, 7, Duration.ofSeconds(3)));
      store.drain(key);
      clock.advance(store.take(key, 5).await().minusNanos(1000));
      Decision early = store.take(key, 5);
      assertThat(early.allowed()).isFalse();
      assertThat(early.await()).isEqualTo(Duration.ofNanos(1000));
      clock.advance(early.await());
      assertThat(store.take(key, 5).allowed()).isTrue();
    }
  }

  /** Interval refill comes in whole periods since the bucket left full. */
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
      assertThat(store.take(key, 10).allowed()).isTrue();
      store.pass(store.second());
      Decision refused = store.take(key, 1);
      assertThat(refused.allowed()).isFalse();
      store.pass(refused.await());
      assertThat(store.take(key, 3).allowed()).isTrue();
      assertThat(store.take(key, 1).allowed()).isFalse();
    }
  }

  /** A cost is taken whole or not at all. */
  @Test
  default void aCostIsTakenWholeOrNotAtAll() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(5));
      assertThat(store.take(key, 3).allowed()).isTrue();
      assertThat(store.take(key, 4).allowed()).isFalse();
      assertThat(store.take(key, 2).allowed()).isTrue();
      assertThat(store.take(key, 1).allowed()).isFalse();
    }
  }

  /** What can never be there is refused, however full the bucket is, and takes nothing. */
  @Test
  default void aCostAboveTheCapacityIsRefusedAndTakesNothing() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(5));
      assertThat(store.take(key, 6).allowed()).isFalse();
      assertThat(store.take(key, RateLimitBand.MAX_TOKENS).allowed()).isFalse();
      assertThat(store.take(key, 5).allowed()).isTrue();
      assertThat(store.take(key, RateLimitBand.MAX_TOKENS + 1).allowed()).isFalse();
    }
  }

  /** The largest numbers neither overflow nor round. */
  @Test
  default void theLargestBandsCountToTheLastToken() {
    try (CheckedStore store = new CheckedStore(this)) {
      long most = RateLimitBand.MAX_TOKENS;
      RateLimitKey year = store.key(RateLimitBand.of(most, 999_999_999_989L, Duration.ofDays(366)));
      assertThat(store.take(year, most - 7).allowed()).isTrue();
      store.pass(Duration.ofMillis(1));
      store.drain(store.key(RateLimitBand.of(3, 1, Duration.ofDays(366))));
      store.take(year, most);
      store.take(store.key(RateLimitBand.of(most, most, Duration.ofMillis(1))), most);
    }
  }

  /** A clock that steps back delays a caller by no more than the time to full. */
  @Test
  default void aClockThatStepsBackFreezesNobody() {
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
      store.take(one, 10);
      store.take(several, 10);
      clock.stepBack(Duration.ofHours(1));
      assertThat(store.take(one, 1).allowed()).isFalse();
      assertThat(store.take(several, 1).allowed()).isFalse();
      clock.advance(Duration.ofSeconds(20));
      assertThat(store.take(one, 10).allowed()).isTrue();
      assertThat(store.take(several, 10).allowed()).isTrue();
    }
  }
}
