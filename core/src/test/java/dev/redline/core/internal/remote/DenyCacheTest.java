package dev.redline.core.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DenyCacheTest {
  private static final long NOW = 1_000_000_000_000_000L;
  private static final BucketLimits LIMITS = limits(2);
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "alice");

  private final ResetGenerations generations = new ResetGenerations();
  private final DenyCache cache = new DenyCache(generations::of);

  /** Returns limits that refill one token a day. */
  private static BucketLimits limits(long capacity) {
    return new BucketLimits(
        OwnerKind.RULE, "daily", List.of(RateLimitBand.of(capacity, 1, Duration.ofDays(1))));
  }

  private static RateLimitKey key(int caller) {
    return new RateLimitKey(LIMITS, "caller-" + caller);
  }

  /** Returns the outcome of an acquisition from a bucket of which {@code taken} were taken. */
  private static Outcome outcome(Acquisition acquisition, long taken) {
    BucketStates states = new BucketStates(acquisition);
    if (taken > 0) {
      BucketStates before = new BucketStates(Acquisition.of(acquisition.key(0), taken));
      before.decide(NOW);
      states.load(0, before.state(0));
    }
    return states.decide(NOW);
  }

  private void learn(Acquisition acquisition, long taken, long sentNanos, long generation) {
    cache.learn(
        acquisition, i -> generation, outcome(acquisition, taken), sentNanos, System.nanoTime());
  }

  private void learn(Acquisition acquisition, long taken) {
    learn(acquisition, taken, System.nanoTime(), generations.of(acquisition)[0]);
  }

  /** Learns that an empty bucket has denied. */
  private void deny(RateLimitKey key) {
    learn(Acquisition.of(key, 1), key.limits().arithmetic().capacity());
  }

  private boolean denies(Acquisition acquisition) {
    return cache.deny(acquisition, new Outcome());
  }

  private boolean denies(RateLimitKey key) {
    return denies(Acquisition.of(key, 1));
  }

  private boolean deniesWhileStoreFails(RateLimitKey key) {
    return cache.denyWhileStoreFails(Acquisition.of(key, 1), new Outcome());
  }

  @Test
  void deniesWhatWasDeniedAndNothingElse() {
    assertThat(denies(KEY)).isFalse();
    learn(Acquisition.of(KEY, 2), 1);
    Outcome outcome = new Outcome();
    assertThat(cache.deny(Acquisition.of(KEY, 2), outcome)).isTrue();
    assertThat(outcome.allowed()).isFalse();
    assertThat(outcome.recalled()).isTrue();
    assertThat(denies(KEY)).as("one token is left").isFalse();
    assertThat(denies(Acquisition.of(KEY, 2, true, false))).as("in shadow").isFalse();
    assertThat(denies(Acquisition.of(KEY, 2, false, true))).as("a dry run").isFalse();
    assertThat(denies(Acquisition.of(new RateLimitKey(LIMITS, "bob"), 2))).isFalse();
  }

  @Test
  void allowedAcquisitionRemovesDenial() {
    deny(KEY);
    assertThat(denies(KEY)).isTrue();
    learn(Acquisition.of(KEY, 1), 0);
    assertThat(denies(KEY)).isFalse();
    assertThat(deniesWhileStoreFails(KEY)).isFalse();
  }

  @Test
  void denialEndsWhenTheBucketCouldHaveRefilled() {
    // The store was called two days ago, so its clock may be two days later by now.
    learn(Acquisition.of(KEY, 1), 2, System.nanoTime() - Duration.ofDays(2).toNanos(), 0);
    assertThat(denies(KEY)).isFalse();
  }

  @Test
  void resetOfOwnerEndsItsDenials() {
    deny(KEY);
    generations.learn(ResetGenerations.name(LIMITS), 5);
    assertThat(denies(KEY)).isFalse();
    assertThat(deniesWhileStoreFails(KEY)).isFalse();
  }

  @Test
  void denialBelongsToGenerationThatWasSent() {
    generations.learn(ResetGenerations.name(LIMITS), 7);
    learn(Acquisition.of(KEY, 1), 2, System.nanoTime(), 0);
    assertThat(denies(KEY)).isFalse();
    assertThat(deniesWhileStoreFails(KEY)).isFalse();
  }

  @Test
  void forgetsOnlyTheKeyThatWasReset() {
    deny(KEY);
    deny(key(1));
    cache.forget(KEY);
    assertThat(denies(KEY)).isFalse();
    assertThat(denies(key(1))).isTrue();
  }

  @Test
  void ignoresDenialOfCallSentBeforeReset() {
    long sent = System.nanoTime();
    cache.forget(DenyCache.notice(KEY));
    learn(Acquisition.of(KEY, 1), 2, sent, 0);
    assertThat(denies(KEY)).isFalse();
    deny(KEY);
    assertThat(denies(KEY)).isTrue();
  }

  @Test
  void noticeRemovesDenialsUnderAllLimits() {
    RateLimitKey small = new RateLimitKey(limits(1), "somebody");
    RateLimitKey large = new RateLimitKey(limits(5), "somebody");
    RateLimitKey other = new RateLimitKey(limits(1), "somebody else");
    List.of(small, large, other).forEach(this::deny);
    cache.forget(DenyCache.notice(small));
    assertThat(denies(small)).isFalse();
    assertThat(denies(large)).isFalse();
    assertThat(denies(other)).isTrue();
  }

  @Test
  void ignoresMalformedNotice() {
    deny(KEY);
    cache.forget("r:daily " + "0".repeat(40));
    cache.forget("");
    assertThat(denies(KEY)).isTrue();
  }

  /** Scanning all denials for each operation would take minutes here. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void costDoesNotGrowWithMillionDenials() {
    nanosPerDenial(0, 1000, 300_000);
    long few = nanosPerDenial(0, 1000, 100_000);
    for (int i = 1000; i < 1_000_000; i++) {
      deny(key(i));
    }
    assertThat(cache.size()).isBetween(100_000, DenialTable.MAX_ENTRIES);
    long many = nanosPerDenial(1_000_000, 100_000, 100_000);
    for (int i = 0; i < 100_000; i++) {
      cache.forget(DenyCache.notice(key(1_000_000 + i)));
    }
    assertThat(deniesWhileStoreFails(key(1_099_999))).isFalse();
    assertThat(cache.size()).isLessThanOrEqualTo(DenialTable.MAX_ENTRIES);
    System.out.printf(
        "figure: a denial costs %d ns with 1,000 in the cache, %d ns after 1,000,000%n", few, many);
  }

  private long nanosPerDenial(int from, int callers, int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      deny(key(from + i % callers));
    }
    return (System.nanoTime() - start) / count;
  }
}
