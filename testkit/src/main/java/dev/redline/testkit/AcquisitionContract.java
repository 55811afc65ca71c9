package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The part of the store contract about acquisitions with several keys: all or nothing. */
public interface AcquisitionContract extends ProvidesStore {
  /** A denial acquires nothing from the bands that have enough tokens. */
  @Test
  default void aDeniedBurstAcquiresNothingFromTheOtherBands() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key =
          store.key(
              RateLimitBand.of(10, 10, Duration.ofSeconds(1)),
              RateLimitBand.of(100, 100, Duration.ofMinutes(1)),
              RateLimitBand.of(1000, 1000, Duration.ofHours(1)));
      int passed = 0;
      for (int i = 0; i < 12; i++) {
        passed += store.acquire(key, 1).allowed() ? 1 : 0;
      }
      Decision after = store.dryRun(key, 1);
      if (store.hasManualClock()) {
        assertThat(passed).isEqualTo(10);
        assertThat(after.remaining(0, 1)).isEqualTo(90);
        assertThat(after.remaining(0, 2)).isEqualTo(990);
      }
    }
  }

  /** Two plans are acquired together: if one denies, the other keeps its tokens. */
  @Test
  default void aPlanThatDeniesKeepsTheTokensOfTheOther() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey gold = store.key(CheckedStore.plan("gold", CheckedStore.slow(10)), "user");
      RateLimitKey daily = store.key(CheckedStore.plan("daily", CheckedStore.slow(5)), "user");
      for (int i = 0; i < 5; i++) {
        assertThat(store.acquire(both(gold, 1, daily, 1)).allowed()).isTrue();
      }
      Decision sixth = store.acquire(both(gold, 1, daily, 1));
      assertThat(sixth.allowed()).isFalse();
      assertThat(sixth.passed(0)).isTrue();
      assertThat(sixth.passed(1)).isFalse();
      assertThat(store.dryRun(gold, 1).remaining()).isEqualTo(5);
    }
  }

  /**
   * Two callers of one plan are acquired together: if one is denied, the other keeps its tokens.
   */
  @Test
  default void twoCallersOfOnePlanAreAcquiredTogether() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey user = store.key(CheckedStore.plan("gold", CheckedStore.slow(10)), "user");
      RateLimitKey tenant = new RateLimitKey(user.limits(), user.identity() + "-tenant");
      for (int i = 0; i < 5; i++) {
        assertThat(store.acquire(both(user, 1, tenant, 2)).allowed()).isTrue();
      }
      Decision sixth = store.acquire(both(tenant, 2, user, 1));
      assertThat(sixth.allowed()).isFalse();
      assertThat(sixth.passed(0)).isFalse();
      assertThat(sixth.passed(1)).isTrue();
      assertThat(store.dryRun(user, 1).remaining()).isEqualTo(5);
      assertThat(store.acquire(tenant, 1).allowed()).isFalse();
    }
  }

  private static Acquisition both(RateLimitKey one, long cost, RateLimitKey other, long otherCost) {
    return Acquisition.builder().take(one, cost).take(other, otherCost).build();
  }

  /** Each key has a cost of its own, and the order of the keys does not matter. */
  @Test
  default void everyKeyHasItsOwnCostInAnyOrder() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey a = store.key(CheckedStore.rule("a", CheckedStore.slow(10)), "");
      RateLimitKey b =
          store.key(CheckedStore.rule("b", CheckedStore.slow(20), CheckedStore.slow(30)), "");
      assertThat(store.acquire(both(a, 3, b, 7)).allowed()).isTrue();
      assertThat(store.acquire(both(b, 7, a, 3)).allowed()).isTrue();
      assertThat(store.acquire(both(b, 7, a, 3)).allowed()).isFalse();
      assertThat(store.dryRun(a, 1).remaining()).isEqualTo(4);
      assertThat(store.dryRun(b, 1).remaining(0, 0)).isEqualTo(6);
      assertThat(store.dryRun(b, 1).remaining(0, 1)).isEqualTo(16);
    }
  }

  /** A key whose cost exceeds its capacity denies the whole acquisition. */
  @Test
  default void aCostAboveOneCapacityDeniesAll() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey a = store.key(CheckedStore.rule("a", CheckedStore.slow(10)), "");
      RateLimitKey b = store.key(CheckedStore.rule("b", CheckedStore.slow(20)), "");
      assertThat(store.acquire(both(a, 11, b, 1)).allowed()).isFalse();
      assertThat(store.dryRun(b, 1).remaining()).isEqualTo(20);
    }
  }

  /** A shadow key never denies, and is acquired from only if it has enough tokens. */
  @Test
  default void aShadowKeyNeverDeniesAndAcquiresOnlyIfItAllows() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey enforced = store.key(CheckedStore.rule("a", CheckedStore.slow(5)), "");
      RateLimitKey shadow = store.key(CheckedStore.rule("b", CheckedStore.slow(2)), "");
      Acquisition both = Acquisition.builder().take(enforced, 1).add(shadow, 1, true).build();
      for (int i = 0; i < 5; i++) {
        Decision decision = store.acquire(both);
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.passed(1)).isEqualTo(i < 2);
      }
      assertThat(store.acquire(both).allowed()).isFalse();
    }
  }

  /** A shadow key keeps its tokens if another key denies. */
  @Test
  default void aShadowKeyKeepsItsTokensWhenAnotherKeyDenies() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey enforced = store.key(CheckedStore.rule("a", CheckedStore.slow(1)), "");
      RateLimitKey shadow = store.key(CheckedStore.rule("b", CheckedStore.slow(9)), "");
      Acquisition both = Acquisition.builder().add(shadow, 1, true).take(enforced, 1).build();
      assertThat(store.acquire(both).allowed()).isTrue();
      assertThat(store.acquire(both).allowed()).isFalse();
      assertThat(store.dryRun(shadow, 1).remaining()).isEqualTo(8);
    }
  }

  /** An acquisition of a shadow key alone is always allowed, and an empty bucket stays empty. */
  @Test
  default void aShadowKeyAloneIsAlwaysAllowed() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(2));
      for (int i = 0; i < 4; i++) {
        Decision decision = store.acquire(Acquisition.builder().add(key, 1, true).build());
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.passed(0)).isEqualTo(i < 2);
      }
    }
  }

  /** A dry run has the outcome of a real acquisition, and acquires nothing. */
  @Test
  default void aDryRunHasTheSameOutcomeAndAcquiresNothing() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey a = store.key(CheckedStore.rule("a", CheckedStore.slow(2)), "");
      RateLimitKey b =
          store.key(CheckedStore.rule("b", CheckedStore.slow(1), CheckedStore.slow(3)), "");
      Acquisition.Builder dry = Acquisition.builder().take(a, 1).take(b, 1).dryRun(true);
      for (int i = 0; i < 3; i++) {
        assertThat(store.acquire(dry.build()).allowed()).isTrue();
        assertThat(store.dryRun(a, 2).allowed()).isTrue();
        assertThat(store.dryRun(a, 3).allowed()).isFalse();
      }
      assertThat(store.acquire(both(a, 1, b, 1)).allowed()).isTrue();
      assertThat(store.acquire(dry.build()).allowed()).isFalse();
      assertThat(store.acquire(both(a, 1, b, 1)).allowed()).isFalse();
      assertThat(store.dryRun(a, 1).remaining()).isEqualTo(1);
    }
  }

  /** Synchronous and asynchronous calls use the same buckets. */
  @Test
  default void synchronousAndAsynchronousCallsAreTheSame() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey key = store.key(CheckedStore.slow(4));
      for (int left = 3; left >= 0; left--) {
        Decision decision =
            left % 2 == 0 ? store.await(Acquisition.of(key, 1)) : store.acquire(key, 1);
        assertThat(decision.remaining()).isEqualTo(left);
      }
      assertThat(store.await(Acquisition.of(key, 1)).allowed()).isFalse();
      assertThat(store.acquire(key, 1).allowed()).isFalse();
    }
  }

  /** An acquisition of 70 keys is still all or nothing. */
  @Test
  default void manyKeysAreOneAcquisition() {
    try (CheckedStore store = new CheckedStore(this)) {
      Acquisition.Builder builder = Acquisition.builder();
      for (int i = 0; i < 70; i++) {
        builder.take(
            store.key(CheckedStore.rule("r" + i, CheckedStore.slow(i == 69 ? 1 : 9)), ""), 1);
      }
      Acquisition all = builder.build();
      assertThat(store.acquire(all).allowed()).isTrue();
      Decision second = store.acquire(all);
      assertThat(second.allowed()).isFalse();
      assertThat(second.remaining(0, 0)).isEqualTo(8);
    }
  }
}
