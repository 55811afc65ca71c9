package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.CheckedStore.Drained;
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
  default void aBurstIsAllowedUpToTheLimit() {
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
      // On a real clock one token refills in 14 ms, which may be less than one decision takes.
      int smallest = store.hasManualClock() ? 1 : 4;
      for (int round = 0; round < 10; round++) {
        int cost = smallest + round % (8 - smallest);
        Decision denied = store.acquireUntilDenied(key, cost).denied();
        store.advance(denied.await());
        Decision retried = store.acquire(key, cost);
        assertThat(retried.allowed()).as("cost %s after %s", cost, denied.await()).isTrue();
      }
    }
  }

  /** A fixed window starts again at its end, which is aligned to the epoch. */
  @Test
  default void aFixedWindowStartsAgainAtItsEnd() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(RateLimitBand.fixedWindow(3, store.second().multipliedBy(3)));
      Drained first = store.acquireUntilDenied(key, 1);
      assertThat(first.allowed()).isGreaterThanOrEqualTo(3);
      store.advance(first.denied().await());
      Decision retried = store.acquire(key, 1);
      assertThat(retried.allowed()).isTrue();
      if (store.hasManualClock()) {
        assertThat(first.allowed()).isEqualTo(3);
        assertThat(retried.nowMicros() % 3_000_000).isZero();
      }
    }
  }
}
