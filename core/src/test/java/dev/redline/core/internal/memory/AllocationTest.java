package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AllocationTest {
  private static final int OPERATIONS = 100_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final HashTableStore store = new HashTableStore(1000, MicrosClock.monotonic(), null);

  /** Returns the least of several runs: what the JVM does on the side is not the store's. */
  private double bytesPerOperation(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    run(acquisition, outcome);
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      run(acquisition, outcome);
      long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      least = Math.min(least, (after - before) / (double) OPERATIONS);
    }
    return least;
  }

  private void run(Acquisition acquisition, Outcome outcome) {
    for (int i = 0; i < OPERATIONS; i++) {
      store.acquireNow(acquisition, outcome);
    }
  }

  private static RateLimitBand generous() {
    return RateLimitBand.of(RateLimitBand.MAX_TOKENS, 1_000_000_007, Duration.ofSeconds(1));
  }

  private static BucketLimits three(String rule, long capacity) {
    return Fixture.limits(
        rule,
        RateLimitBand.of(capacity, capacity, Duration.ofDays(100)),
        RateLimitBand.slidingWindow(capacity, Duration.ofDays(100)),
        RateLimitBand.fixedWindow(capacity, Duration.ofDays(100)));
  }

  private static Acquisition two(long capacity) {
    return Acquisition.builder()
        .take(Fixture.key(three("b", capacity), "k"), 1)
        .take(Fixture.key(three("a", capacity), "k"), 1)
        .build();
  }

  @Test
  void allowedAcquisitionAllocatesNothing() {
    Acquisition one = Acquisition.of(Fixture.key(Fixture.limits("r", generous()), "k"), 1);
    assertThat(bytesPerOperation(one)).isLessThan(1);
    assertThat(Fixture.decide(store, one).allowed()).isTrue();
  }

  @Test
  void deniedAcquisitionAllocatesNothing() {
    Acquisition one = Acquisition.of(Fixture.key(Fixture.limits("r", Fixture.slow(1)), "k"), 1);
    assertThat(bytesPerOperation(one)).isLessThan(1);
    assertThat(Fixture.decide(store, one).allowed()).isFalse();
  }

  @Test
  void twoKeysOfThreeBandsAllocateNothingWhenAllowed() {
    Acquisition two = two(RateLimitBand.MAX_TOKENS);
    assertThat(bytesPerOperation(two)).isLessThan(1);
    assertThat(Fixture.decide(store, two).allowed()).isTrue();
  }

  @Test
  void twoKeysOfThreeBandsAllocateNothingWhenDenied() {
    Acquisition two = two(1);
    assertThat(bytesPerOperation(two)).isLessThan(1);
    assertThat(Fixture.decide(store, two).allowed()).isFalse();
  }

  @Test
  void productsBeyondOneWordAllocateNothingEither() {
    RateLimitBand year =
        RateLimitBand.of(RateLimitBand.MAX_TOKENS, 999_999_999_989L, Duration.ofDays(366));
    Acquisition many = Acquisition.of(Fixture.key(Fixture.limits("r", year), "k"), 900_001);
    assertThat(bytesPerOperation(many)).isLessThan(1);
    assertThat(Fixture.decide(store, many).allowed()).isTrue();
  }
}
