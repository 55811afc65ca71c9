package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sweeps in the background; the rest between two of them is so long that only haste ends it. */
class SweeperTest {
  private static final Duration REST = Duration.ofHours(1);
  private static final BucketLimits SECOND_LONG = Fixture.limits("s", Fixture.perSecond(1));
  private static final BucketLimits YEAR_LONG = Fixture.limits("y", Fixture.slow(1));

  /** A bounded table that counts how often it is visited as a whole. */
  private static final class CountingStore extends MapBackedStore {
    private final AtomicInteger sweeps = new AtomicInteger();
    private final int maxKeys;

    CountingStore(int maxKeys, MicrosClock clock) {
      super(clock, REST);
      this.maxKeys = maxKeys;
    }

    @Override
    protected @Nullable Bucket insert(RateLimitKey key, Bucket candidate) {
      if (table.size() >= maxKeys) {
        return null;
      }
      return put(key, candidate);
    }

    @Override
    protected void forEach(BiConsumer<RateLimitKey, Bucket> action) {
      sweeps.incrementAndGet();
      super.forEach(action);
    }
  }

  private final AtomicLong now = new AtomicLong(Fixture.START);
  private final CountingStore store = new CountingStore(10, now::get);
  private int newcomers;

  @AfterEach
  void close() {
    store.close();
  }

  private void fill(BucketLimits limits, int keys) {
    for (int i = 0; i < keys; i++) {
      assertThat(Fixture.take(store, Fixture.key(limits, i), 1)).isTrue();
    }
  }

  /** Lets new keys ask until one of them gets a bucket of its own. */
  private void awaitRoom() {
    await().until(this::newcomerFindsRoom);
  }

  private boolean newcomerFindsRoom() {
    RateLimitKey newcomer = Fixture.key(SECOND_LONG, "newcomer-" + newcomers++);
    Fixture.take(store, newcomer, 1);
    return store.peek(newcomer) != null;
  }

  /** Lets a key find no room, and waits for the sweep that follows. */
  private void awaitFirstSweep() {
    assertThat(newcomerFindsRoom()).isFalse();
    await().until(() -> store.sweeps.get() > 0);
  }

  @Test
  void keyWithoutRoomWakesTheSweeper() {
    fill(SECOND_LONG, 10);
    now.addAndGet(60 * Fixture.SECOND);
    awaitRoom();
  }

  @Test
  void roomIsFoundWithoutASweepWhenABucketBecomesFull() {
    fill(YEAR_LONG, 9);
    fill(SECOND_LONG, 1);
    awaitFirstSweep();
    assertThat(newcomerFindsRoom()).isFalse();
    int before = store.sweeps.get();
    now.addAndGet(Fixture.SECOND);
    awaitRoom();
    // The key that took the room is watched too.
    assertThat(newcomerFindsRoom()).isFalse();
    now.addAndGet(Fixture.SECOND);
    awaitRoom();
    assertThat(store.sweeps.get()).isEqualTo(before);
  }

  @Test
  void aFullTableIsNotSweptAgainAndAgain() {
    fill(YEAR_LONG, 10);
    awaitFirstSweep();
    int before = store.sweeps.get();
    await().during(Duration.ofMillis(300)).until(() -> !newcomerFindsRoom());
    assertThat(store.sweeps.get()).isEqualTo(before);
  }

  @Test
  void roomIsFoundAfterAReset() {
    fill(YEAR_LONG, 10);
    awaitFirstSweep();
    store.reset(List.of(YEAR_LONG)).toCompletableFuture().join();
    awaitRoom();
  }

  @Test
  void roomIsFoundWhenMoreBucketsBecomeFullThanAreWatched() {
    CountingStore large = new CountingStore(20_000, now::get);
    try (large) {
      for (int i = 0; i < 20_000; i++) {
        Fixture.take(large, Fixture.key(SECOND_LONG, i), 1);
      }
      Fixture.take(large, Fixture.key(SECOND_LONG, "newcomer"), 1);
      await().until(() -> large.sweeps.get() > 0);
      now.addAndGet(Fixture.SECOND);
      await()
          .untilAsserted(
              () -> {
                Fixture.take(large, Fixture.key(YEAR_LONG, large.size()), 1);
                assertThat(large.size()).isLessThan(10_000);
              });
    }
  }

  @Test
  void theThreadOfAStoreThatWasNeverClosedEndsWithTheStore() {
    Set<Thread> before = sweepers();
    useAndDrop();
    Set<Thread> started =
        sweepers().stream().filter(t -> !before.contains(t)).collect(Collectors.toSet());
    assertThat(started).isNotEmpty();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              System.gc();
              return started.stream().noneMatch(Thread::isAlive);
            });
  }

  private static void useAndDrop() {
    for (int i = 0; i < 3; i++) {
      HashTableStore dropped = new HashTableStore(1_000_000, MicrosClock.monotonic());
      Fixture.take(dropped, Fixture.key(YEAR_LONG, "k"), 1);
    }
  }

  private static Set<Thread> sweepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("redline-local-sweeper"))
        .collect(Collectors.toSet());
  }

  @Test
  void aBandOfAnyKindIsFoundFull() {
    BucketLimits wide =
        Fixture.limits(
            "w",
            Fixture.perSecond(1),
            RateLimitBand.slidingWindow(5, Duration.ofSeconds(2)),
            RateLimitBand.fixedWindow(5, Duration.ofSeconds(3)));
    fill(wide, 10);
    awaitFirstSweep();
    now.addAndGet(6 * Fixture.SECOND);
    awaitRoom();
  }
}
