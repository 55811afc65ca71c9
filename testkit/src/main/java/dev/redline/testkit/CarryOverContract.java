package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The part of the store contract about limits that change while their buckets are in use. */
public interface CarryOverContract extends ProvidesStore {
  /** A period so long that nothing refills during a test. */
  Duration MONTH = Duration.ofDays(30);

  /** Changed limits start with full buckets, independent of the old ones. */
  @Test
  default void changedLimitsStartWithFullBuckets() {
    String caller = UUID.randomUUID().toString();
    try (StoreUnderTest store = newStore()) {
      RateLimitKey before = key(reset(RateLimitBand.of(100, 1, MONTH)), caller);
      RateLimitKey after = key(reset(RateLimitBand.of(10, 1, MONTH)), caller);
      assertThat(take(store, before, 60)).isEqualTo(60);
      assertThat(take(store, after, 60)).isEqualTo(10);
    }
  }

  /** A node with the old limits and one with the new ones together allow no more than both. */
  @Test
  default void nodesWithOldAndNewLimitsAllowNoMoreThanBoth() {
    String caller = UUID.randomUUID().toString();
    try (StoreUnderTest store = newStore()) {
      RateLimitKey old = key(reset(RateLimitBand.of(100, 1, MONTH)), caller);
      RateLimitKey now = key(reset(RateLimitBand.of(10, 1, MONTH)), caller);
      int passed = 0;
      for (int i = 0; i < 150; i++) {
        passed += take(store, old, 1) + take(store, now, 1);
      }
      assertThat(passed).isEqualTo(110);
    }
  }

  /** Debt carries over to a smaller limit, up to its capacity. */
  @Test
  default void debtCarriesOverToASmallerLimit() {
    for (RateLimitBand[] pair : pairs(100, 10)) {
      try (StoreUnderTest store = newStore()) {
        String untouched = UUID.randomUUID().toString();
        assertThat(take(store, key(carried(pair[1]), untouched), 100)).isEqualTo(10);

        String busy = UUID.randomUUID().toString();
        assertThat(take(store, key(carried(pair[0]), busy), 97)).isEqualTo(97);
        assertThat(take(store, key(carried(pair[1]), busy), 100)).isZero();

        String barely = UUID.randomUUID().toString();
        assertThat(take(store, key(carried(pair[0]), barely), 4)).isEqualTo(4);
        assertThat(take(store, key(carried(pair[1]), barely), 100)).isEqualTo(6);
      }
    }
  }

  /** Debt carries over to a larger limit. */
  @Test
  default void debtCarriesOverToALargerLimit() {
    for (RateLimitBand[] pair : pairs(10, 100)) {
      try (StoreUnderTest store = newStore()) {
        String caller = UUID.randomUUID().toString();
        assertThat(take(store, key(carried(pair[0]), caller), 20)).isEqualTo(10);
        assertThat(take(store, key(carried(pair[1]), caller), 200)).isEqualTo(90);
      }
    }
  }

  /** While both limits are in use, a node with the smaller one never reduces the debt. */
  @Test
  default void nodesThatShareABucketAllowNoMoreThanTheLargerLimit() {
    for (RateLimitBand[] pair : pairs(100, 10)) {
      try (StoreUnderTest store = newStore()) {
        String caller = UUID.randomUUID().toString();
        RateLimitKey large = key(carried(pair[0]), caller);
        RateLimitKey small = key(carried(pair[1]), caller);
        int passed = 0;
        for (int i = 0; i < 150; i++) {
          passed += take(store, large, 1) + take(store, small, 1);
          store.decide(Acquisition.of(small, 1, false, true));
        }
        assertThat(passed).as("of %s and %s", pair[0], pair[1]).isEqualTo(100);
      }
    }
  }

  /** Debt above the capacity of the smaller limit must refill before a caller is allowed. */
  @Test
  default void theWaitIncludesDebtAboveTheSmallerLimit() {
    try (StoreUnderTest store = newStore()) {
      String caller = UUID.randomUUID().toString();
      RateLimitKey large = key(carried(RateLimitBand.of(100, 1, MONTH)), caller);
      RateLimitKey small = key(carried(RateLimitBand.of(10, 1, MONTH)), caller);
      take(store, large, 50);
      Decision decision =
          Decision.of(Acquisition.of(small, 1), store.decide(Acquisition.of(small, 1)));
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.remaining()).isZero();
      assertThat(decision.await()).isBetween(MONTH.multipliedBy(40), MONTH.multipliedBy(41));
    }
  }

  /** Several bands carry over band by band. */
  @Test
  default void severalBandsCarryOverEachByItself() {
    try (StoreUnderTest store = newStore()) {
      String caller = UUID.randomUUID().toString();
      RateLimitBand window = RateLimitBand.fixedWindow(50, MONTH.multipliedBy(12));
      BucketLimits before = carried(RateLimitBand.of(100, 1, MONTH), window);
      BucketLimits after = carried(RateLimitBand.of(30, 1, MONTH), window);
      assertThat(take(store, key(before, caller), 25)).isEqualTo(25);
      assertThat(take(store, key(after, caller), 100)).isEqualTo(5);
    }
  }

  private static List<RateLimitBand[]> pairs(long before, long after) {
    Duration year = MONTH.multipliedBy(12);
    return List.of(
        new RateLimitBand[] {RateLimitBand.of(before, 1, MONTH), RateLimitBand.of(after, 1, MONTH)},
        new RateLimitBand[] {
          RateLimitBand.fixedWindow(before, year), RateLimitBand.fixedWindow(after, year)
        },
        new RateLimitBand[] {
          RateLimitBand.slidingWindow(before, year), RateLimitBand.slidingWindow(after, year)
        });
  }

  private static BucketLimits reset(RateLimitBand... bands) {
    return new BucketLimits(BucketLimits.OwnerKind.RULE, "changing", List.of(bands));
  }

  private static BucketLimits carried(RateLimitBand... bands) {
    return BucketLimits.carriedOver(BucketLimits.OwnerKind.RULE, "changing", List.of(bands));
  }

  private static RateLimitKey key(BucketLimits limits, String caller) {
    return new RateLimitKey(limits, caller);
  }

  /** Acquires 1 so many times; returns how often it was allowed. */
  private static int take(StoreUnderTest store, RateLimitKey key, int times) {
    int passed = 0;
    for (int i = 0; i < times; i++) {
      passed += store.decide(Acquisition.of(key, 1)).allowed() ? 1 : 0;
    }
    return passed;
  }
}
