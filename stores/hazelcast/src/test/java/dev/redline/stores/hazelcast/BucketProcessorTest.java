package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.map.IMap;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.internal.StoreLoad;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is done to the entry of a caller: with generations, clocks and refunds of any order. */
class BucketProcessorTest {
  private static Clusters cluster;
  private static HazelcastStore store;
  private static IMap<String, byte[]> buckets;

  @BeforeAll
  static void start() {
    cluster = new Clusters(1);
    store = cluster.start(cluster.embedded());
    buckets = cluster.instances().get(0).getMap(HazelcastStore.BUCKETS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Outcome acquire(Acquisition acquisition, long... generations) {
    BucketProcessor processor = BucketProcessor.acquire(acquisition, generations);
    return processor.outcomeOf(buckets.executeOnKey(entryKey(acquisition), processor));
  }

  private static void refund(Acquisition acquisition, Outcome taken, long... generations) {
    buckets.executeOnKey(
        entryKey(acquisition), BucketProcessor.refund(acquisition, generations, taken));
  }

  private static String entryKey(Acquisition acquisition) {
    return CallerEntry.key(acquisition.key(0).identity());
  }

  private static long left(RateLimitKey key, long generation) {
    long left = 0;
    while (acquire(Acquisition.of(key, left + 1, false, true), generation).allowed()) {
      left++;
    }
    return left;
  }

  @Test
  void refundsWhatWasTaken() {
    RateLimitKey key = Clusters.key("five", 5, "plain");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    assertThat(left(key, 0)).isEqualTo(2);
    refund(three, taken, 0);
    assertThat(left(key, 0)).isEqualTo(5);
  }

  /** Two refunds of overlapping acquisitions could give back too much. */
  @Test
  void refundsNothingIfAnotherRefundCameSinceTheTake() {
    RateLimitKey key = Clusters.key("five", 5, "overlapping");
    Acquisition one = Acquisition.of(key, 1);
    Outcome first = acquire(one, 0);
    Outcome second = acquire(one, 0);
    refund(one, second, 0);
    refund(one, first, 0);
    assertThat(left(key, 0)).isEqualTo(4);
    refund(one, acquire(one, 0), 0);
    assertThat(left(key, 0)).isEqualTo(4);
  }

  @Test
  void refundsNothingToABucketThatWasResetSinceTheTake() throws Exception {
    RateLimitKey key = Clusters.key("five", 5, "reset");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    store.reset(key).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(acquire(three, 0).allowed()).isTrue();
    refund(three, taken, 0);
    assertThat(left(key, 0)).isEqualTo(2);
  }

  @Test
  void refundsNothingToABucketOfALaterGeneration() {
    RateLimitKey key = Clusters.key("five", 5, "generation");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    assertThat(acquire(three, 7).allowed()).isTrue();
    refund(three, taken, 0);
    assertThat(left(key, 7)).isEqualTo(2);
  }

  /** A node that has not heard of a reset takes from the bucket that the reset has started. */
  @Test
  void keepsTheLaterGenerationOfABucket() {
    RateLimitKey key = Clusters.key("five", 5, "lagging");
    assertThat(acquire(Acquisition.of(key, 2), 7).allowed()).isTrue();
    assertThat(acquire(Acquisition.of(key, 2), 0).allowed()).isTrue();
    assertThat(left(key, 7)).isEqualTo(1);
  }

  /** The clocks of members differ a little, and the owner may change. */
  @Test
  void continuesFromTheLastWriteIfTheClockIsALittleBehind() {
    RateLimitKey key = Clusters.key("five", 5, "little");
    // The test may be delayed before the member reads its clock, hence several attempts.
    await()
        .until(
            () -> {
              long written = nowMicros() + 900_000;
              writeAt(key, written);
              return acquire(Acquisition.of(key, 1), 0).nowMicros() == written;
            });
  }

  /** It would otherwise stand still until the clock is there. */
  @Test
  void followsAClockThatWasSetBack() {
    RateLimitKey key = Clusters.key("five", 5, "much");
    long written = nowMicros() + 3_600_000_000L;
    writeAt(key, written);
    assertThat(acquire(Acquisition.of(key, 1), 0).nowMicros()).isLessThan(written);
  }

  @Test
  void dropsBucketsThatAreFullAtTheNextWrite() {
    RateLimitKey quick =
        new RateLimitKey(
            StoreLoad.rule("quick", RateLimitBand.of(5, 5, Duration.ofMillis(1))), "full");
    RateLimitKey slow = Clusters.key("many", 1000, "full");
    assertThat(acquire(Acquisition.of(quick, 1), 0).allowed()).isTrue();
    await()
        .until(
            () -> {
              assertThat(acquire(Acquisition.of(slow, 1), 0).allowed()).isTrue();
              CallerEntry entry = CallerEntry.read(buckets.get(CallerEntry.key("full")));
              assertThat(entry.find(CallerEntry.name(slow.limits()))).isNotNull();
              return entry.find(CallerEntry.name(quick.limits())) == null;
            });
  }

  private static long nowMicros() {
    return System.currentTimeMillis() * 1000;
  }

  /** Writes an entry that another member wrote by its clock. */
  private static void writeAt(RateLimitKey key, long micros) {
    CallerEntry entry = CallerEntry.read(null);
    entry.put("other", 0, micros + 3_600_000_000L, 0, new long[2]);
    buckets.set(CallerEntry.key(key.identity()), entry.write(micros));
  }
}
