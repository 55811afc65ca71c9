package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.map.IMap;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Refunds that arrive after something else has happened to the bucket. */
class RefundTest {
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
  void givesBackWhatWasTaken() {
    RateLimitKey key = Clusters.key("five", 5, "plain");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    assertThat(left(key, 0)).isEqualTo(2);
    refund(three, taken, 0);
    assertThat(left(key, 0)).isEqualTo(5);
  }

  /** Two refunds of overlapping acquisitions could give back too much. */
  @Test
  void givesBackNothingIfAnotherRefundCameSinceTheTake() {
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
  void givesBackNothingToABucketThatWasResetSinceTheTake() throws Exception {
    RateLimitKey key = Clusters.key("five", 5, "reset");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    store.reset(key).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(acquire(three, 0).allowed()).isTrue();
    refund(three, taken, 0);
    assertThat(left(key, 0)).isEqualTo(2);
  }

  @Test
  void givesBackNothingToABucketOfALaterGeneration() {
    RateLimitKey key = Clusters.key("five", 5, "generation");
    Acquisition three = Acquisition.of(key, 3);
    Outcome taken = acquire(three, 0);
    assertThat(acquire(three, 7).allowed()).isTrue();
    refund(three, taken, 0);
    assertThat(left(key, 7)).isEqualTo(2);
  }

  /** A reset may come between the take and the refund. */
  @Test
  void refundsUnderTheGenerationOfTheTake() {
    AtomicLong generation = new AtomicLong(1);
    AtomicReference<long[]> refunded = new AtomicReference<>();
    RateLimitKey first = Clusters.key("five", 5, "first");
    RateLimitKey second = Clusters.key("five", 5, "second");
    AcrossEntries.Parts parts =
        new AcrossEntries.Parts() {
          @Override
          public long[] generations(Acquisition acquisition) {
            return new long[] {generation.get(), generation.get() + 100};
          }

          @Override
          public CompletableFuture<Outcome> acquire(Acquisition part, boolean taking) {
            if (taking) {
              generation.set(2);
            }
            boolean denied = taking && part.key(0).equals(second);
            Acquisition tried = denied ? Acquisition.of(second, 6) : part;
            return CompletableFuture.completedFuture(new BucketStates(tried).decide(1000));
          }

          @Override
          public void refund(Acquisition part, long[] generations, Outcome taken) {
            assertThat(part.key(0)).isEqualTo(first);
            refunded.set(generations);
          }
        };
    Outcome outcome =
        new AcrossEntries(Acquisition.builder().take(first, 1).take(second, 1).build(), parts)
            .acquire()
            .join();
    assertThat(outcome.allowed()).isFalse();
    assertThat(refunded.get()).containsExactly(1);
  }
}
