package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.ReferenceModel.ExpectedBand;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A store under test; compares every outcome with the {@link ReferenceModel}. */
final class CheckedStore implements AutoCloseable {
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration MONTH = Duration.ofDays(30);
  private static final Duration MAX_DRAIN = Duration.ofSeconds(60);

  private final StoreUnderTest underTest;
  private final ReferenceModel model = new ReferenceModel();
  private final String keyPrefix = UUID.randomUUID().toString();

  CheckedStore(ProvidesStore provider) {
    this.underTest = provider.newStore();
  }

  /** Returns a band that refills too slowly to matter. */
  static RateLimitBand slow(long capacity) {
    return RateLimitBand.of(capacity, 1, capacity <= 100 ? YEAR : MONTH);
  }

  static BucketLimits rule(String id, RateLimitBand... bands) {
    return new BucketLimits(BucketLimits.OwnerKind.RULE, id, List.of(bands));
  }

  static BucketLimits plan(String id, RateLimitBand... bands) {
    return new BucketLimits(BucketLimits.OwnerKind.PLAN, id, List.of(bands));
  }

  /** Returns a key that no other test uses. */
  RateLimitKey key(BucketLimits limits, String identity) {
    return new RateLimitKey(limits, keyPrefix + identity);
  }

  /** Returns a key with these bands. */
  RateLimitKey key(RateLimitBand... bands) {
    return key(rule("rule", bands), "");
  }

  Decision acquire(RateLimitKey key, long cost) {
    return acquire(Acquisition.of(key, cost));
  }

  Decision dryRun(RateLimitKey key, long cost) {
    return acquire(Acquisition.builder().take(key, cost).dryRun(true).build());
  }

  /** Acquires 1 until denied; returns how often it was allowed. */
  int drain(RateLimitKey key) {
    return acquireUntilDenied(key, 1).allowed();
  }

  /**
   * Acquires a cost until it is denied. On the store's own clock, a later acquisition of a drained
   * bucket may be allowed, because time has passed: a test that needs a denial uses this one.
   */
  Drained acquireUntilDenied(RateLimitKey key, long cost) {
    long start = System.nanoTime();
    int allowed = 0;
    Decision last = acquire(key, cost);
    while (last.allowed()) {
      allowed++;
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("the store decides more slowly than %s refills", key.limits())
          .isLessThan(MAX_DRAIN);
      last = acquire(key, cost);
    }
    return new Drained(allowed, last);
  }

  /** How often a cost was allowed, and the denial that followed. */
  record Drained(int allowed, Decision denied) {}

  /** Acquires and checks the outcome. */
  Decision acquire(Acquisition acquisition) {
    return check(Decision.of(acquisition, underTest.decide(acquisition)));
  }

  /** Acquires asynchronously and checks the outcome. */
  Decision await(Acquisition acquisition) {
    return check(Decision.of(acquisition, underTest.await(acquisition)));
  }

  private Decision check(Decision decision) {
    Acquisition acquisition = decision.acquisition();
    ReferenceModel.ExpectedOutcome expected = model.acquire(acquisition, decision::nowMicros);
    assertThat(decision.allowed()).as("allowed").isEqualTo(expected.allowed());
    for (int i = 0; i < acquisition.size(); i++) {
      if (!decision.seen(i)) {
        assertThat(decision.allowed()).as("allowed without evaluating key %s", i).isFalse();
        continue;
      }
      assertThat(decision.passed(i)).as("key %s passed", i).isEqualTo(expected.passed(i));
      for (int b = 0; b < acquisition.key(i).limits().size(); b++) {
        RateLimitBand band = acquisition.key(i).limits().band(b).band();
        long cost = acquisition.cost(i);
        assertThat(actualBand(decision, i, b, cost <= band.capacity()))
            .as("%s with cost %s", band, cost)
            .isEqualTo(expected.keys().get(i).get(b));
      }
    }
    return decision;
  }

  private static ExpectedBand actualBand(Decision decision, int i, int b, boolean possible) {
    long cost = decision.acquisition().cost(i);
    return new ExpectedBand(
        cost <= decision.remainingBefore(i, b),
        decision.remainingBefore(i, b),
        decision.remaining(i, b),
        possible ? decision.waitMicros(i, b) : 0,
        decision.resetMicros(i, b));
  }

  void advance(Duration time) {
    underTest.advance(time);
  }

  /** Makes the store remove all buckets that it may remove. */
  void evict() {
    underTest.evict();
  }

  /** Returns whether the store uses a manual clock, so that exact numbers can be expected. */
  boolean hasManualClock() {
    return underTest.clock().isPresent();
  }

  /** Returns the length of a "second" in the tests: shorter if the test must really wait. */
  Duration second() {
    return hasManualClock() ? Duration.ofSeconds(1) : Duration.ofMillis(100);
  }

  /** Returns the manual clock; skips the test if the store has its own clock. */
  ManualClock movableClock() {
    assumeTrue(hasManualClock(), "the store's clock cannot be moved");
    return underTest.clock().orElseThrow();
  }

  StoreUnderTest underTest() {
    return underTest;
  }

  @Override
  public void close() {
    underTest.close();
  }
}
