package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a table may do that evicts on the thread that inserts. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EvictionTest {
  /** A table with one place, or none at all: then what is put is evicted before it is opened. */
  private static final class TinyStore extends MapBackedStore {
    private final int places;

    /** What another thread does while one is told that there is no room; once. */
    private @Nullable Runnable beforeTurningAway;

    /** What another thread does while one begins to visit all buckets; once. */
    private Runnable beforeVisits = () -> {};

    TinyStore(int places, AtomicLong now) {
      super(now::get, null);
      this.places = places;
    }

    @Override
    protected @Nullable Bucket insert(RateLimitKey key, Bucket candidate) {
      Runnable meanwhile = beforeTurningAway;
      if (meanwhile != null) {
        beforeTurningAway = null;
        CompletableFuture.runAsync(meanwhile).join();
        return null;
      }
      if (places == 1) {
        evictAll();
      }
      Bucket present = put(key, candidate);
      if (places == 0) {
        evictAll();
      }
      return present;
    }

    private void evictAll() {
      table.forEach(
          (key, bucket) -> {
            evict(key, bucket);
            table.remove(key, bucket);
          });
    }

    @Override
    protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
      Runnable once = beforeVisits;
      beforeVisits = () -> {};
      once.run();
      super.forEach(action);
    }
  }

  private final AtomicLong now = new AtomicLong(Fixture.START);

  private static BucketLimits limits(String rule, int bands) {
    return bands == 1 ? Fixture.limits(rule, Fixture.slow(10)) : Fixture.three(rule, 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void nothingIsTakenFromABucketThatWasEvictedBeforeItWasOpened(int bands) {
    TinyStore store = new TinyStore(0, now);
    assertThat(Fixture.drain(store, Fixture.key(limits("r", bands), "k"))).isEqualTo(10);
    assertThat(store.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void keysOfOneAcquisitionDoNotEvictEachOtherForEver(int bands) {
    TinyStore store = new TinyStore(1, now);
    Acquisition both =
        Acquisition.builder()
            .take(Fixture.key(limits("b", bands), "k"), 1)
            .take(Fixture.key(limits("a", 1), "k"), 1)
            .build();
    int passed = 0;
    for (int i = 0; i < 20; i++) {
      passed += Fixture.decide(store, both).allowed() ? 1 : 0;
    }
    assertThat(passed).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void evictedKeyKeepsItsDebt(int bands) {
    TinyStore store = new TinyStore(1, now);
    BucketLimits limits = limits("r", bands);
    RateLimitKey key = Fixture.key(limits, "k");
    for (int left = 9; left >= 0; left--) {
      assertThat(Fixture.take(store, key, 1)).isTrue();
      assertThat(Fixture.take(store, Fixture.key(limits("other", 1), left), 1)).isTrue();
      assertThat(store.peek(key)).isNull();
    }
    assertThat(Fixture.take(store, key, 1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyThatGetsItsOwnBucketWhileItIsAboutToShareOneUsesItsOwn(int bands) {
    RateLimitKey key = Fixture.key(limits("r", bands), "k");
    TinyStore store = new TinyStore(1, now);
    store.beforeTurningAway = () -> assertThat(Fixture.drain(store, key)).isEqualTo(10);
    assertThat(Fixture.take(store, key, 1)).isFalse();
    assertThat(store.peek(key)).isNotNull();
  }

  @Test
  void evictionOfAFullBucketLeavesNoDebt() {
    TinyStore store = new TinyStore(1, now);
    BucketLimits limits = Fixture.limits("r", Fixture.perSecond(10));
    assertThat(Fixture.take(store, Fixture.key(limits, "k"), 10)).isTrue();
    now.addAndGet(10 * Fixture.SECOND);
    Fixture.take(store, Fixture.key(limits("other", 1), "k"), 1);
    store.sweep();
    assertThat(Fixture.drain(store, Fixture.key(limits, "k"))).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aBucketThatIsEvictedDuringAResetOfItsRuleLeavesNoDebt(int bands) {
    TinyStore store = new TinyStore(1, now);
    RateLimitKey key = Fixture.key(limits("r", bands), "k");
    Fixture.drain(store, key);
    store.beforeVisits = () -> Fixture.take(store, Fixture.key(limits("other", 1), "k"), 1);

    store.reset(List.of(key.limits()));

    assertThat(Fixture.drain(store, key)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void tokensAcquiredDuringAResetCountAfterEviction(int bands) {
    TinyStore store = new TinyStore(1, now);
    RateLimitKey key = Fixture.key(limits("r", bands), "k");
    RateLimitKey other = Fixture.key(limits("other", 1), "k");
    Fixture.drain(store, key);
    store.beforeVisits =
        () -> {
          Fixture.take(store, other, 1);
          assertThat(Fixture.take(store, key, 3)).as("full, since it was evicted").isTrue();
          Fixture.take(store, other, 1);
        };

    store.reset(List.of(key.limits()));

    assertThat(Fixture.drain(store, key)).isEqualTo(7);
  }
}
