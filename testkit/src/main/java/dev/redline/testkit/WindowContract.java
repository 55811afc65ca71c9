package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The part of the store contract about windows. */
public interface WindowContract extends ProvidesStore {
  /** The previous window counts by its overlap. A manual clock starts at the start of a window. */
  @Test
  default void aSlidingWindowCountsTheShareOfTheWindowBefore() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key =
          store.key(RateLimitBand.slidingWindow(10, store.second().multipliedBy(10)));
      int atOnce = store.drain(key);
      store.advance(store.second().multipliedBy(15));
      int later = store.drain(key);
      if (store.hasManualClock()) {
        assertThat(atOnce).isEqualTo(10);
        assertThat(later).isEqualTo(5);
      }
    }
  }

  /** A burst is allowed up to the limit of the window. */
  @Test
  default void aBurstPassesUpToTheLimit() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.slidingWindow(5, Duration.ofDays(300)));
      int passed = 0;
      for (int i = 0; i < 50; i++) {
        store.advance(Duration.ofNanos(20_000));
        passed += store.acquire(key, 1).allowed() ? 1 : 0;
      }
      assertThat(passed).isEqualTo(5);
    }
  }

  /** A caller that waits the advertised time is allowed, also across the end of the window. */
  @Test
  default void allowsAfterTheWaitThatASlidingWindowAdvertises() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.slidingWindow(7, store.second()));
      for (int round = 0; round < 10; round++) {
        store.drain(key);
        Decision denied = store.acquire(key, 1 + round % 7);
        if (denied.allowed()) {
          // A slow store: a token was refilled since the bucket was empty.
          assertThat(store.hasManualClock()).isFalse();
          continue;
        }
        store.advance(denied.await());
        Decision retried = store.acquire(key, 1 + round % 7);
        assertThat(retried.allowed()).isTrue();
      }
    }
  }

  /** A fixed window starts again at its end, which is aligned to the epoch. */
  @Test
  default void aFixedWindowStartsAgainAtItsEnd() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.fixedWindow(3, store.second().multipliedBy(3)));
      int first = store.drain(key);
      assertThat(first).isGreaterThanOrEqualTo(3);
      Decision denied = store.acquire(key, 1);
      store.advance(denied.await());
      Decision retried = store.acquire(key, 1);
      assertThat(retried.allowed()).isTrue();
      if (store.hasManualClock()) {
        assertThat(first).isEqualTo(3);
        assertThat(retried.nowMicros() % 3_000_000).isZero();
      }
    }
  }
}
