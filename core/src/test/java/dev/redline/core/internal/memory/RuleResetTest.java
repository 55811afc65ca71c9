package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reset of a whole rule visits the overflow groups, then the table. What callers do between the
 * two visits must not be undone by the second.
 */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RuleResetTest {
  private static final RateLimitKey OTHER =
      Fixture.key(Fixture.limits("other", Fixture.perSecond(1)), "k");

  private final AtomicLong now = new AtomicLong(Fixture.START);
  private Runnable betweenVisits = () -> {};
  private boolean visitTwice;

  /** A table with one place. */
  private final HashTableStore store =
      new HashTableStore(1, now::get, null) {
        @Override
        protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
          Runnable once = betweenVisits;
          betweenVisits = () -> {};
          if (visitTwice) {
            visitTwice = false;
            super.forEach(action);
          }
          once.run();
          super.forEach(action);
        }
      };

  private static RateLimitKey key(int bands) {
    BucketLimits limits = bands == 1 ? Fixture.limits("r", Fixture.slow(5)) : Fixture.three("r", 5);
    return Fixture.key(limits, "k");
  }

  private void fillTheTable() {
    Fixture.drain(store, OTHER);
  }

  private void makeRoom() {
    store.remove(OTHER, Objects.requireNonNull(store.peek(OTHER)));
  }

  private void assertIsInTable(RateLimitKey key) {
    assertThat(store.peek(key)).isNotNull();
  }

  private void reset(RateLimitKey key) {
    store.reset(List.of(key.limits())).toCompletableFuture().join();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyThatMovesFromItsGroupToTheTableIsResetOnce(int bands) {
    RateLimitKey key = key(bands);
    fillTheTable();
    Fixture.drain(store, key);
    betweenVisits =
        () -> {
          assertThat(Fixture.take(store, key, 1)).as("in its group, which is reset").isTrue();
          makeRoom();
          assertThat(Fixture.take(store, key, 1)).isTrue();
          assertIsInTable(key);
        };

    reset(key);

    assertThat(Fixture.drain(store, key)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyWhoseGroupIsRemovedAfterItsResetIsResetOnce(int bands) {
    RateLimitKey key = key(bands);
    fillTheTable();
    Fixture.drain(store, key);
    betweenVisits =
        () -> {
          store.sweep();
          makeRoom();
          assertThat(Fixture.take(store, key, 2)).isTrue();
          assertIsInTable(key);
        };

    reset(key);

    assertThat(Fixture.drain(store, key)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyWhoseGroupIsRemovedAndMadeAgainIsResetOnce(int bands) {
    RateLimitKey key = key(bands);
    fillTheTable();
    Fixture.drain(store, key);
    betweenVisits =
        () -> {
          store.sweep();
          assertThat(Fixture.take(store, key, 1)).as("in a new group").isTrue();
          makeRoom();
          assertThat(Fixture.take(store, key, 1)).isTrue();
          assertIsInTable(key);
        };

    reset(key);

    assertThat(Fixture.drain(store, key)).isEqualTo(3);
  }

  /** A hash table may show a key again that was removed and inserted during the visit. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyThatIsRemovedAndInsertedDuringTheVisitIsResetOnce(int bands) {
    RateLimitKey key = key(bands);
    Fixture.drain(store, key);
    visitTwice = true;
    betweenVisits =
        () -> {
          store.sweep();
          assertThat(Fixture.take(store, key, 2)).isTrue();
        };

    reset(key);

    assertThat(Fixture.drain(store, key)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void everyResetMakesTheSameBucketFull(int bands) {
    RateLimitKey key = key(bands);
    for (int i = 0; i < 3; i++) {
      reset(key);
      assertThat(Fixture.drain(store, key)).isEqualTo(5);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void anEvictedBucketThatWasResetDoesNotInheritTheOldDebtOfItsGroup(int bands) {
    RateLimitKey key = key(bands);
    BucketLimits limits = key.limits();
    RuleResets resets = new RuleResets();
    OverflowBuckets groups = new OverflowBuckets(now::get, Fixture.START, resets);
    Bucket group = groups.bucketOf(key);
    take(group, limits, 5);
    resets.run(
        List.of(limits),
        reset -> {
          Bucket own = Bucket.create(limits);
          own.open(limits, reset.number());
          take(own, limits, 2);
          groups.absorb(key, own);
          groups.reset(reset);
        });

    assertThat(left(group, limits)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void theDebtOfAnEvictedBucketFromBeforeTheResetIsNotAddedToItsGroup(int bands) {
    RateLimitKey key = key(bands);
    BucketLimits limits = key.limits();
    RuleResets resets = new RuleResets();
    OverflowBuckets groups = new OverflowBuckets(now::get, Fixture.START, resets);
    Bucket group = groups.bucketOf(key);
    Bucket own = Bucket.create(limits);
    own.open(limits, RuleResets.NONE);
    take(own, limits, 5);
    resets.run(
        List.of(limits),
        reset -> {
          groups.reset(reset);
          take(group, limits, 1);
          groups.absorb(key, own);
        });

    assertThat(left(group, limits)).isEqualTo(4);
  }

  private void take(Bucket bucket, BucketLimits limits, long cost) {
    long[] view = view(bucket, limits);
    assertThat(bucket.lock()).isTrue();
    bucket.take(limits, now.get(), Fixture.START, view, 0, cost);
    bucket.unlock();
  }

  private long left(Bucket bucket, BucketLimits limits) {
    return limits.band(0).remaining(view(bucket, limits), 0);
  }

  private long[] view(Bucket bucket, BucketLimits limits) {
    long[] view = new long[limits.arithmetic().viewWords()];
    bucket.view(limits, now.get(), Fixture.START, view, 0);
    return view;
  }
}
