package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What the checker accepts and what it rejects, on stores with known faults. */
class HistoryCheckerTest {
  private static final BucketLimits LIMITS = limits(RateLimitBand.of(10, 1, Duration.ofSeconds(1)));
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "somebody");

  private final ManualClock clock = new ManualClock();
  private final History history = new History();
  private final Fickle store = new Fickle();
  private final StorageProvider node = history.record("a", store);

  private static BucketLimits limits(RateLimitBand... bands) {
    return new BucketLimits(OwnerKind.RULE, "r", List.of(bands));
  }

  /** A local store with faults that a test switches on. */
  private final class Fickle implements StorageProvider {
    private StorageProvider local = new LocalStore(1000, clock);
    private boolean doubly;
    private boolean losingAnswers;
    private boolean losingAcquisitions;

    @Override
    public String type() {
      return "fickle";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      StoreException lost = new StoreException(StoreException.Kind.UNAVAILABLE, "lost");
      if (losingAcquisitions) {
        return CompletableFuture.failedFuture(lost);
      }
      Outcome outcome = new Outcome();
      local.acquireNow(acquisition, outcome);
      if (doubly) {
        local.acquireNow(acquisition, new Outcome());
      }
      return losingAnswers
          ? CompletableFuture.failedFuture(lost)
          : CompletableFuture.completedFuture(outcome);
    }

    @Override
    public void close() {
      local.close();
    }
  }

  private boolean take(long cost) {
    return take(KEY, cost);
  }

  private boolean take(RateLimitKey key, long cost) {
    clock.advance(Duration.ofNanos(1000));
    return node.acquire(Acquisition.of(key, cost)).toCompletableFuture().join().allowed();
  }

  private void lose(long cost) {
    assertThatThrownBy(() -> take(cost)).isInstanceOf(CompletionException.class);
  }

  @Test
  void acceptsTheOutcomesOfExactBuckets() {
    SplittableRandom random = new SplittableRandom(7);
    List<RateLimitBand> bands =
        List.of(
            RateLimitBand.of(10, 3, Duration.ofSeconds(1)),
            RateLimitBand.builder()
                .capacity(10)
                .refillTokens(3)
                .period(Duration.ofSeconds(2))
                .refill(Refill.INTERVAL)
                .build(),
            RateLimitBand.slidingWindow(10, Duration.ofSeconds(3)),
            RateLimitBand.fixedWindow(10, Duration.ofSeconds(3)));
    for (int i = 0; i < 2000; i++) {
      clock.advance(Duration.ofMillis(random.nextLong(400)));
      take(new RateLimitKey(limits(bands.get(i % 4)), "x"), 1 + random.nextLong(3));
      take(new RateLimitKey(limits(bands.toArray(RateLimitBand[]::new)), "x"), 1);
    }
    HistoryChecker.Report report = HistoryChecker.check(history);
    assertThat(report.decisions()).isEqualTo(4000);
    assertThat(report.buckets()).isEqualTo(5);
  }

  @Test
  void namesAnAcquisitionThatIsChargedTwiceWithBothStates() {
    take(1);
    store.doubly = true;
    take(1);
    store.doubly = false;
    take(1);
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("rule r for 'somebody', observation 3 of 3")
        .hasMessageContaining("expected")
        .hasMessageContaining("owing 1999998")
        .hasMessageContaining("seen owing 2999998");
  }

  @Test
  void aFailedAcquisitionMayHaveTakenEffectOrNot() {
    take(1);
    store.losingAnswers = true;
    lose(2);
    store.losingAnswers = false;
    store.losingAcquisitions = true;
    lose(3);
    store.losingAcquisitions = false;
    take(1);
    HistoryChecker.Report report = HistoryChecker.check(history);
    assertThat(report.unknown()).isEqualTo(2);
    assertThat(report.unknownAcquired()).isEqualTo(1);
  }

  @Test
  void aFailedAcquisitionFromAFullBucketMayHaveTakenEffectAtAnyTime() {
    take(1);
    clock.advance(Duration.ofSeconds(5));
    store.losingAnswers = true;
    lose(2);
    store.losingAnswers = false;
    clock.advance(Duration.ofMillis(1500));
    take(1);
    assertThat(HistoryChecker.check(history).unknownAcquired()).isEqualTo(1);
  }

  @Test
  void aFailedAcquisitionTakesEffectAtMostOnce() {
    take(1);
    store.losingAnswers = true;
    store.doubly = true;
    lose(1);
    store.losingAnswers = false;
    store.doubly = false;
    take(1);
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("observation 2 of 2");
  }

  @Test
  void findsAnAcquisitionThatTakesEffectAfterItsDeadline() {
    take(1);
    store.losingAcquisitions = true;
    lose(1);
    store.losingAcquisitions = false;
    history.settled();
    take(1);
    store.doubly = true;
    take(1);
    store.doubly = false;
    take(1);
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("observation 4 of 4");
  }

  @Test
  void stateMayBeLostOncePerFailoverOnly() {
    take(5);
    try (History.Span failover = history.forgetting()) {
      store.local = new LocalStore(1000, clock);
    }
    take(5);
    assertThat(HistoryChecker.check(history).lostStates()).isEqualTo(1);
    store.local = new LocalStore(1000, clock);
    take(5);
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("observation 3 of 3");
  }

  @Test
  void findsAStoreThatIgnoresAReset() {
    take(10);
    try (History.Span reset = history.resetting(OwnerKind.RULE, "r")) {
      assertThat(take(1)).isFalse();
      HistoryChecker.check(history);
    }
    assertThat(take(1)).isFalse();
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("observation 3 of 3");
  }

  @Test
  void acceptsAResetOfAFullBucketAtAnyTimeOfTheReset() {
    try (History.Span reset = history.resetting(OwnerKind.RULE, "r")) {
      assertThat(take(1)).isTrue();
    }
    assertThat(take(1)).isTrue();
    assertThat(HistoryChecker.check(history).acquired()).isEqualTo(2);
  }

  private Outcome lease(LeaseRecorder recorder, long id, RateLimitKey key, long tokens) {
    clock.advance(Duration.ofNanos(1000));
    recorder.requested(id, key, tokens, 1);
    Outcome outcome = new Outcome();
    store.local.acquireNow(Acquisition.of(key, tokens), outcome);
    recorder.replied(id, 1, outcome, System.nanoTime());
    return outcome;
  }

  @Test
  void acceptsRefundsOfTwoLeasesInOneCall() {
    LeaseRecorder recorder = history.recordLeases("a");
    lease(recorder, 1, KEY, 4);
    long now = lease(recorder, 2, KEY, 2).nowMicros() + 10;
    // What was acquired last is refunded first.
    recorder.refunding(2, 2);
    recorder.refunding(1, 4);
    recorder.refunded(2, 1, now);
    recorder.refunded(1, 1, now);
    assertThat(HistoryChecker.check(history).leased()).isEqualTo(6);
  }

  @Test
  void acceptsRefundOfWindowFromWhichOthersAcquiredSince() {
    LeaseRecorder recorder = history.recordLeases("a");
    RateLimitBand window = RateLimitBand.slidingWindow(10, Duration.ofSeconds(3));
    RateLimitKey key = new RateLimitKey(limits(window), "x");
    long now = lease(recorder, 1, key, 4).nowMicros();
    assertThat(take(key, 3)).isTrue();
    recorder.refunding(1, 4);
    recorder.refunded(1, 1, now + 2);
    assertThat(HistoryChecker.check(history).leased()).isEqualTo(4);
  }

  @Test
  void findsRefundOfBucketFromWhichOthersAcquiredSince() {
    LeaseRecorder recorder = history.recordLeases("a");
    long now = lease(recorder, 1, KEY, 4).nowMicros();
    assertThat(take(3)).isTrue();
    recorder.refunding(1, 4);
    recorder.refunded(1, 1, now + 2);
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("was refunded, though the bucket had changed");
  }

  @Test
  void findsACachedDenialThatTheBucketDoesNotJustify() {
    take(10);
    take(1);
    StorageProvider hasty = history.record("b", new Forgetful());
    hasty.acquire(Acquisition.of(KEY, 1)).toCompletableFuture().join();
    assertThat(HistoryChecker.check(history).cacheDenials()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(3));
    take(1);
    hasty.acquire(Acquisition.of(KEY, 1)).toCompletableFuture().join();
    assertThatThrownBy(() -> HistoryChecker.check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("denied by the deny cache");
  }

  /** Denies everything from a cache. */
  private static final class Forgetful implements StorageProvider {
    @Override
    public String type() {
      return "forgetful";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      Outcome outcome = new Outcome();
      outcome.reset(acquisition.bands());
      outcome.decide(false, 0);
      outcome.recall();
      return CompletableFuture.completedFuture(outcome);
    }

    @Override
    public void close() {}
  }
}
