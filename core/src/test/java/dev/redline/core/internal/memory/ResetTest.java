package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResetTest {
  private final AtomicLong now = new AtomicLong(Fixture.START);
  private final HashTableStore store = new HashTableStore(100, now::get, null);

  @AfterEach
  void close() {
    store.close();
  }

  private static BucketLimits limits(String rule, int bands) {
    return bands == 1 ? Fixture.limits(rule, Fixture.slow(5)) : Fixture.three(rule, 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfARuleFillsTheBucketsOfAllItsCallersOnly(int bands) {
    BucketLimits limits = limits("r", bands);
    RateLimitKey first = Fixture.key(limits, "a");
    RateLimitKey second = Fixture.key(limits, "b");
    RateLimitKey shared = Fixture.key(limits.share(0.5), "a");
    RateLimitKey other = Fixture.key(limits("s", bands), "a");
    RateLimitKey plan =
        Fixture.key(new BucketLimits(OwnerKind.PLAN, "r", List.of(Fixture.slow(5))), "a");
    for (RateLimitKey key : List.of(first, second, shared, other, plan)) {
      Fixture.drain(store, key);
    }

    store.reset(List.of(limits)).toCompletableFuture().join();

    assertThat(Fixture.drain(store, first)).isEqualTo(5);
    assertThat(Fixture.drain(store, second)).isEqualTo(5);
    assertThat(Fixture.drain(store, shared)).isPositive();
    assertThat(Fixture.drain(store, other)).isZero();
    assertThat(Fixture.drain(store, plan)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfOneCallerFillsOnlyItsBucket(int bands) {
    RateLimitKey first = Fixture.key(limits("r", bands), "a");
    RateLimitKey second = Fixture.key(limits("r", bands), "b");
    Fixture.drain(store, first);
    Fixture.drain(store, second);

    store.reset(first).toCompletableFuture().join();
    store.reset(Fixture.key(limits("r", bands), "never seen")).toCompletableFuture().join();

    assertThat(Fixture.drain(store, first)).isEqualTo(5);
    assertThat(Fixture.drain(store, second)).isZero();
    assertThat(store.size()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfARuleReachesKeysThatShareABucket(int bands) {
    BucketLimits limits = limits("r", bands);
    for (int i = 0; i < 400; i++) {
      Fixture.drain(store, Fixture.key(limits, i));
    }

    store.reset(List.of(limits)).toCompletableFuture().join();

    assertThat(Fixture.drain(store, Fixture.key(limits, 399))).isEqualTo(5);
    assertThat(Fixture.drain(store, Fixture.key(limits, 0))).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfOneCallerReachesAKeyThatSharesABucket(int bands) {
    BucketLimits limits = limits("r", bands);
    for (int i = 0; i < 101; i++) {
      Fixture.drain(store, Fixture.key(limits, i));
    }
    RateLimitKey caller = Fixture.key(limits, 100);
    assertThat(store.peek(caller)).isNull();

    store.reset(caller).toCompletableFuture().join();

    assertThat(Fixture.drain(store, caller)).isEqualTo(5);
    assertThat(Fixture.drain(store, Fixture.key(limits, 0))).isZero();
  }

  /** A thread that was interrupted between inserting its bucket and opening it. */
  private Bucket insertWithoutOpening(RateLimitKey key) {
    Bucket bucket = Bucket.create(key.limits());
    assertThat(store.insert(key, bucket)).isSameAs(bucket);
    return bucket;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyWhoseBucketWasClosedByAResetGetsAnother(int bands) {
    RateLimitKey key = Fixture.key(limits("r", bands), "a");
    Bucket closed = insertWithoutOpening(key);

    store.reset(List.of(key.limits())).toCompletableFuture().join();

    assertThat(Fixture.drain(store, key)).isEqualTo(5);
    assertThat(store.peek(key)).isNotNull().isNotSameAs(closed);
    assertThat(store.size()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfAKeyReachesABucketThatIsBeingInserted(int bands) {
    BucketLimits limits = limits("r", bands);
    for (int i = 0; i < 100; i++) {
      Fixture.drain(store, Fixture.key(limits("other", 1), i));
    }
    RateLimitKey key = Fixture.key(limits, "a");
    Fixture.drain(store, key);
    store.remove(Fixture.key(limits("other", 1), 0), own(Fixture.key(limits("other", 1), 0)));
    insertWithoutOpening(key);

    store.reset(key).toCompletableFuture().join();

    assertThat(Fixture.drain(store, key)).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void resetOfAKeyHoldsAfterItsFullBucketIsRemoved(int bands) {
    BucketLimits limits = limits("r", bands);
    BucketLimits others = limits("other", 1);
    for (int i = 0; i < 100; i++) {
      Fixture.drain(store, Fixture.key(others, i));
    }
    RateLimitKey key = Fixture.key(limits, "a");
    Fixture.drain(store, key);
    assertThat(store.peek(key)).as("shares the bucket of its group").isNull();
    store.remove(Fixture.key(others, 0), own(Fixture.key(others, 0)));

    store.reset(key).toCompletableFuture().join();
    store.sweep();

    assertThat(Fixture.drain(store, key)).isEqualTo(5);
  }

  private Bucket own(RateLimitKey key) {
    return Objects.requireNonNull(store.peek(key));
  }

  /** A key for which there is no room is used at the moment at which its reset looks it up. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aResetOfAKeyDoesNotUndoAnAcquisitionThatItAllowed(int bands) {
    RateLimitKey key = Fixture.key(limits("r", bands), "a");
    List<Boolean> allowed = new ArrayList<>();
    AtomicBoolean resetting = new AtomicBoolean();
    HashTableStore full =
        new HashTableStore(1, now::get, null) {
          @Override
          protected @Nullable Bucket find(RateLimitKey sought) {
            Bucket found = super.find(sought);
            if (resetting.compareAndSet(true, false)) {
              allowed.add(Fixture.take(this, key, 1));
            }
            return found;
          }
        };
    Fixture.drain(full, Fixture.key(limits("s", bands), "b"));
    Fixture.drain(full, key);
    resetting.set(true);
    full.reset(key);
    assertThat(allowed).hasSize(1);
    assertThat(Fixture.drain(full, key)).isEqualTo(allowed.get(0) ? 4 : 5);
    full.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void sweepRemovesClosedBucketsOfUnusedKeys(int bands) {
    RateLimitKey key = Fixture.key(limits("r", bands), "a");
    insertWithoutOpening(key);
    store.reset(List.of(key.limits())).toCompletableFuture().join();

    store.sweep();

    assertThat(store.size()).isZero();
  }
}
