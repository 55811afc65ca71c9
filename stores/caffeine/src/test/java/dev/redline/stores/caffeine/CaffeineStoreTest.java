package dev.redline.stores.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaffeineStoreTest {
  private static final int MAX_KEYS = 100;
  private static final int CAPACITY = 10;

  /** How many keys the cache may hold beyond its maximum while several threads insert. */
  private static final int SLACK = 1024;

  private final ManualClock clock = new ManualClock();
  private CaffeineStore store = new CaffeineStore(MAX_KEYS, clock);

  @AfterEach
  void close() {
    store.close();
  }

  private static BucketLimits limits(String rule, int bands) {
    RateLimitBand slow = RateLimitBand.of(CAPACITY, 1, Duration.ofMinutes(1));
    List<RateLimitBand> all =
        List.of(
            slow,
            RateLimitBand.slidingWindow(CAPACITY * 2, Duration.ofHours(1)),
            RateLimitBand.fixedWindow(CAPACITY * 3, Duration.ofHours(1)));
    return new BucketLimits(BucketLimits.OwnerKind.RULE, rule, all.subList(0, bands));
  }

  private boolean take(RateLimitKey key) {
    Outcome outcome = new Outcome();
    store.acquireNow(Acquisition.of(key, 1), outcome);
    return outcome.allowed();
  }

  private int drain(RateLimitKey key) {
    int taken = 0;
    while (take(key)) {
      taken++;
    }
    return taken;
  }

  private void flood(BucketLimits limits, int keys) {
    for (int i = 0; i < keys; i++) {
      take(new RateLimitKey(limits, "flood-" + i));
      assertThat(store.size()).isLessThanOrEqualTo(MAX_KEYS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void staysWithinBoundUnderFloodOfNewKeys(int bands) {
    flood(limits("r", bands), 50_000);
    assertThat(store.size()).isEqualTo(MAX_KEYS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void evictedCallerIsStillDenied(int bands) {
    BucketLimits limits = limits("r", bands);
    RateLimitKey caller = new RateLimitKey(limits, "caller");
    assertThat(drain(caller)).isEqualTo(CAPACITY);
    // Keys that come repeatedly are more frequent than the caller, so the cache evicts the caller.
    for (int round = 0; round < 20; round++) {
      flood(limits("other", bands), 2 * MAX_KEYS);
    }
    assertThat(store.peek(caller)).isNull();
    assertThat(drain(caller)).isZero();
    clock.advance(Duration.ofMinutes(1));
    assertThat(drain(caller)).isLessThanOrEqualTo(1);
  }

  /** Tokens are counted for a key even if the cache evicts it at once. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void countsNewKeyThatCacheDoesNotAdmit(int bands) {
    for (int round = 0; round < 20; round++) {
      flood(limits("busy", bands), MAX_KEYS);
    }
    for (int i = 0; i < 500; i++) {
      RateLimitKey key = new RateLimitKey(limits("rule-" + i, bands), "new-caller");
      assertThat(drain(key)).isEqualTo(CAPACITY);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void removesBucketsWhenFullAndNotBefore(int bands) {
    flood(limits("r", bands), 50_000);
    clock.advance(Duration.ofSeconds(59));
    store.sweep();
    assertThat(store.size()).isEqualTo(MAX_KEYS);
    clock.advance(Duration.ofHours(3));
    store.sweep();
    assertThat(store.size()).isZero();
    assertThat(drain(new RateLimitKey(limits("r", bands), "flood-1"))).isEqualTo(CAPACITY);
  }

  @Test
  void removesFullBucketsInBackground() {
    flood(limits("r", 1), MAX_KEYS);
    clock.advance(Duration.ofHours(1));
    await().untilAsserted(() -> assertThat(store.size()).isZero());
  }

  /** Keys are evicted all the time while the clock stands still, so that no bucket refills. */
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 1", "1, 3", "3, 3", "20, 1", "20, 3"})
  void allowsAtMostCapacityDespiteEviction(int maxKeys, int bands) throws Exception {
    int keys = 40;
    store = new CaffeineStore(maxKeys, clock);
    BucketLimits a = limits("a", bands);
    BucketLimits b = limits("b", 1);
    AtomicIntegerArray allowed = new AtomicIntegerArray(keys);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<?>> work = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      work.add(
          threads.submit(
              () -> {
                Outcome outcome = new Outcome();
                ThreadLocalRandom random = ThreadLocalRandom.current();
                for (int i = 0; i < 10_000; i++) {
                  int id = random.nextInt(keys);
                  RateLimitKey key = new RateLimitKey(a, Integer.toString(id));
                  RateLimitKey other = new RateLimitKey(b, Integer.toString(random.nextInt(1000)));
                  Acquisition acquisition =
                      i % 3 == 0
                          ? Acquisition.builder().take(other, 1).take(key, 1).build()
                          : Acquisition.of(key, 1);
                  store.acquireNow(acquisition, outcome);
                  if (outcome.allowed()) {
                    allowed.incrementAndGet(id);
                  }
                  if (i % 1000 == 0) {
                    store.sweep();
                  }
                }
              }));
    }
    for (Future<?> each : work) {
      each.get();
    }
    threads.shutdown();
    assertThat(store.size()).isLessThanOrEqualTo(maxKeys + SLACK);
    for (int id = 0; id < keys; id++) {
      assertThat(allowed.get(id)).as("allowed for %s", id).isLessThanOrEqualTo(CAPACITY);
    }
  }

  @Test
  void typeIsCaffeine() {
    assertThat(store.type()).isEqualTo("caffeine");
  }

  @Test
  void rejectsMaximumOfZeroKeys() {
    assertThatThrownBy(() -> new CaffeineStore(0, clock))
        .hasMessage("maxKeys must be at least 1, was 0");
  }
}
