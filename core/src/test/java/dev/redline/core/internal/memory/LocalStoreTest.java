package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalStoreTest {
  private static final int MAX_KEYS = 100;
  private static final int FLOOD = 100_000;

  private final AtomicLong now = new AtomicLong(Fixture.START);
  private final HashTableStore store = new HashTableStore(MAX_KEYS, now::get, null);

  @AfterEach
  void close() {
    store.close();
  }

  private static BucketLimits limits(int bands) {
    return bands == 1
        ? Fixture.limits("r", Fixture.perSecond(10))
        : Fixture.limits(
            "r",
            Fixture.perSecond(10),
            RateLimitBand.slidingWindow(50, Duration.ofSeconds(10)),
            RateLimitBand.fixedWindow(60, Duration.ofSeconds(10)));
  }

  private void flood(BucketLimits limits) {
    for (int i = 0; i < FLOOD; i++) {
      Fixture.take(store, Fixture.key(limits, "flood-" + i), 1);
      assertThat(store.size()).isLessThanOrEqualTo(MAX_KEYS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aFloodOfNewKeysNeverExceedsTheBound(int bands) {
    flood(limits(bands));
    assertThat(store.size()).isEqualTo(MAX_KEYS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void floodOfKeysDoesNotRefillAnExhaustedBucket(int bands) {
    RateLimitKey victim = Fixture.key(limits(bands), "victim");
    assertThat(Fixture.drain(store, victim)).isEqualTo(10);
    flood(limits(bands));
    store.sweep();
    assertThat(Fixture.drain(store, victim)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aKeyThatSharedABucketStaysExhaustedWhenItGetsItsOwn(int bands) {
    BucketLimits slow = bands == 1 ? Fixture.limits("s", Fixture.slow(10)) : Fixture.three("s", 10);
    for (int i = 0; i < MAX_KEYS; i++) {
      assertThat(Fixture.take(store, Fixture.key(limits(bands), i), 1)).isTrue();
    }
    RateLimitKey newcomer = Fixture.key(slow, "newcomer");
    assertThat(Fixture.drain(store, newcomer)).isEqualTo(10);
    assertThat(store.peek(newcomer)).isNull();
    now.addAndGet(60 * Fixture.SECOND);
    store.sweep();
    assertThat(store.size()).isZero();
    assertThat(Fixture.take(store, newcomer, 1)).isFalse();
    assertThat(store.peek(newcomer)).isNotNull();
  }

  @Test
  void keysThatShareABucketTogetherGetNoMoreThanOneOfThem() {
    BucketLimits limits = Fixture.limits("r", Fixture.slow(10));
    for (int i = 0; i < MAX_KEYS; i++) {
      Fixture.take(store, Fixture.key(limits, i), 1);
    }
    int admitted = 0;
    for (int i = 0; i < 10_000; i++) {
      admitted += Fixture.take(store, Fixture.key(limits, "late-" + i), 1) ? 1 : 0;
    }
    assertThat(admitted).isBetween(10, 64 * 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void keysOfOneOwnerThatShareABucketAreChargedTheLargerCost(int bands) {
    BucketLimits limits =
        bands == 1 ? Fixture.limits("r", Fixture.slow(10)) : Fixture.three("r", 10);
    for (int i = 0; i < MAX_KEYS; i++) {
      Fixture.take(store, Fixture.key(limits, i), 1);
    }
    RateLimitKey one = Fixture.key(limits, "one");
    int i = 0;
    while (store.sharedBucket(Fixture.key(limits, "other-" + i)) != store.sharedBucket(one)) {
      i++;
    }
    RateLimitKey other = Fixture.key(limits, "other-" + i);
    for (int[] costs : new int[][] {{1, 4}, {4, 1}}) {
      Acquisition both = Acquisition.builder().take(one, costs[0]).take(other, costs[1]).build();
      assertThat(Fixture.decide(store, both).allowed()).isTrue();
    }
    assertThat(Fixture.drain(store, other)).as("8 of 10 were taken").isEqualTo(2);
    assertThat(Fixture.take(store, one, 1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void bucketsAreDroppedWhenTheyAreFullAgainAndNotBefore(int bands) {
    BucketLimits limits = limits(bands);
    flood(limits);
    now.addAndGet(Fixture.SECOND - 1);
    store.sweep();
    assertThat(store.size()).isEqualTo(MAX_KEYS);
    now.addAndGet(60 * Fixture.SECOND);
    store.sweep();
    assertThat(store.size()).isZero();
    assertThat(store.isEmpty()).isTrue();
    assertThat(Fixture.drain(store, Fixture.key(limits, "flood-1"))).isEqualTo(10);
  }

  @Test
  void denialAndDryRunStoreNoBucket() {
    RateLimitKey key = Fixture.key(limits(1), "k");
    assertThat(Fixture.take(store, key, 11)).isFalse();
    Fixture.decide(store, Acquisition.builder().take(key, 1).dryRun(true).build());
    store.sweep();
    assertThat(store.size()).isZero();
  }

  @Test
  void keyInsertedWhileTheTableFillsUpKeepsItsBucket() {
    RateLimitKey key = Fixture.key(limits(1), "k");
    Bucket bucket = Bucket.create(key.limits());
    assertThat(store.insert(key, bucket)).isSameAs(bucket);
    assertThat(store.insert(key, Bucket.create(key.limits()))).isSameAs(bucket);
    assertThat(store.size()).isEqualTo(1);
    store.remove(key, Bucket.create(key.limits()));
    assertThat(store.size()).isEqualTo(1);
    store.remove(key, bucket);
    assertThat(store.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aKeyWhoseFirstAcquisitionFailedIsUsable(int bands) {
    AtomicBoolean broken = new AtomicBoolean();
    HashTableStore failing =
        new HashTableStore(
            1,
            () -> {
              if (broken.get()) {
                throw new IllegalStateException("no time");
              }
              return now.get();
            },
            null);
    RateLimitKey resident = Fixture.key(Fixture.limits("other", Fixture.perSecond(1)), "k");
    RateLimitKey key = Fixture.key(limits(bands), "k");
    assertThat(Fixture.take(failing, resident, 1)).isTrue();
    assertThat(Fixture.drain(failing, key)).isEqualTo(10);
    now.addAndGet(2 * Fixture.SECOND);
    failing.sweep();
    broken.set(true);
    assertThatThrownBy(() -> Fixture.take(failing, key, 1)).hasMessage("no time");
    assertThatThrownBy(failing::sweep).hasMessage("no time");
    broken.set(false);

    assertThat(Fixture.drain(failing, key)).isEqualTo(2);
  }

  @Test
  void rejectsMaxKeysZero() {
    assertThatThrownBy(() -> new HashTableStore(0, now::get))
        .hasMessage("maxKeys must be at least 1, was 0");
  }

  @Test
  void theSweeperStartsWithTheFirstKeySleepsWhenEmptyAndEndsOnClose() {
    Set<Thread> before = sweepers();
    HashTableStore swept = new HashTableStore(MAX_KEYS, now::get);
    assertThat(sweepers()).isEqualTo(before);
    RateLimitKey key = Fixture.key(limits(1), "k");
    assertThat(Fixture.take(swept, key, 1)).isTrue();
    Thread sweeper = sweepers().stream().filter(t -> !before.contains(t)).findAny().orElseThrow();
    assertThat(sweeper.isDaemon()).isTrue();
    for (int round = 0; round < 2; round++) {
      now.addAndGet(60 * Fixture.SECOND);
      await().untilAsserted(() -> assertThat(swept.size()).isZero());
      await().until(() -> sweeper.getState() == Thread.State.TIMED_WAITING);
      assertThat(Fixture.take(swept, key, 1)).isTrue();
    }
    swept.close();
    await().until(() -> !sweeper.isAlive());
  }

  private static Set<Thread> sweepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("redline-local-sweeper"))
        .collect(Collectors.toSet());
  }
}
