package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DenyCacheTest {
  private static final long DAY_MICROS = Duration.ofDays(1).toMillis() * 1000;
  private static final BucketLimits LIMITS = limits(1);

  private final Generations generations = new Generations();
  private final DenyCache cache = new DenyCache(generations);
  private final BucketKey.Maker keys = new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4));

  /** Returns limits that refill one token a day, so that a denial lasts a day. */
  private static BucketLimits limits(long capacity) {
    return new BucketLimits(
        OwnerKind.RULE, "daily", List.of(RateLimitBand.of(capacity, 1, Duration.ofDays(1))));
  }

  private static RateLimitKey key(int caller) {
    return new RateLimitKey(LIMITS, "caller-" + caller);
  }

  private PendingAcquisition sent(RateLimitKey key) {
    PendingAcquisition pending =
        new PendingAcquisition(Acquisition.of(key, 1), keys, Long.MAX_VALUE, Waiter.THREAD);
    pending.sent(System.nanoTime());
    pending.setGeneration(0, generations.of(key.limits()));
    return pending;
  }

  private void deny(RateLimitKey key) {
    learnDenial(sent(key));
  }

  private void learnDenial(PendingAcquisition pending) {
    Outcome outcome = new Outcome();
    outcome.reset(1);
    outcome.views()[0] = DAY_MICROS;
    outcome.decide(false, 1_000_000_000_000_000L);
    cache.learn(pending, outcome, System.nanoTime());
  }

  private boolean denies(RateLimitKey key) {
    return cache.refuseRemembered(Acquisition.of(key, 1), new Outcome());
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
    assertThat(denies(key(1_099_999))).isFalse();
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

  @Test
  void deniesOnlyTheKeyThatWasDenied() {
    deny(key(0));
    assertThat(denies(key(0))).isTrue();
    assertThat(denies(key(1))).isFalse();
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
    deny(key(0));
    cache.forget("r:daily " + "0".repeat(40));
    cache.forget("");
    assertThat(denies(key(0))).isTrue();
  }

  @Test
  void ignoresDenialOfCallSentBeforeReset() {
    PendingAcquisition before = sent(key(0));
    cache.forget(DenyCache.notice(key(0)));
    learnDenial(before);
    assertThat(denies(key(0))).isFalse();
    deny(key(0));
    assertThat(denies(key(0))).isTrue();
  }

  @Test
  void denialBelongsToGenerationThatWasSent() {
    PendingAcquisition before = sent(key(0));
    generations.learn(Generations.field(LIMITS), 7);
    learnDenial(before);
    assertThat(denies(key(0))).isFalse();
  }

  @Test
  void allowedAcquisitionRemovesDenial() {
    deny(key(0));
    Outcome allowed = new Outcome();
    allowed.reset(1);
    allowed.pass(0);
    allowed.decide(true, 1_000_000_000_000_000L);
    cache.learn(sent(key(0)), allowed, System.nanoTime());
    assertThat(denies(key(0))).isFalse();
  }
}
