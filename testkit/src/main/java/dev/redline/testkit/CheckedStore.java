package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.ReferenceModel.BandAnswer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A store whose every answer is held against the reference model. */
final class CheckedStore implements AutoCloseable {
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration MONTH = Duration.ofDays(30);

  private final StoreUnderTest underTest;
  private final ReferenceModel model = new ReferenceModel();
  private final String scene = UUID.randomUUID().toString();

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

  /** Returns a key that no other test has. */
  RateLimitKey key(BucketLimits limits, String identity) {
    return new RateLimitKey(limits, scene + identity);
  }

  /** Returns the key of a rule of its own with these bands. */
  RateLimitKey key(RateLimitBand... bands) {
    return key(rule("rule", bands), "");
  }

  Decision take(RateLimitKey key, long cost) {
    return acquire(Acquisition.of(key, cost));
  }

  Decision look(RateLimitKey key, long cost) {
    return acquire(Acquisition.builder().take(key, cost).dryRun(true).build());
  }

  /** Takes 1 until that is refused; returns how often it passed. */
  int drain(RateLimitKey key) {
    int taken = 0;
    while (take(key, 1).allowed()) {
      taken++;
    }
    return taken;
  }

  /** Takes an acquisition and checks the answer. */
  Decision acquire(Acquisition acquisition) {
    return check(Decision.of(acquisition, underTest.decide(acquisition)));
  }

  /** Takes an acquisition the asynchronous way and checks the answer. */
  Decision await(Acquisition acquisition) {
    return check(Decision.of(acquisition, underTest.await(acquisition)));
  }

  private Decision check(Decision decision) {
    Acquisition acquisition = decision.acquisition();
    ReferenceModel.Answer expected = model.acquire(acquisition, decision::nowMicros);
    assertThat(decision.allowed()).as("allowed").isEqualTo(expected.allowed());
    for (int i = 0; i < acquisition.size(); i++) {
      if (!decision.seen(i)) {
        assertThat(decision.allowed()).as("allowed without looking at key %s", i).isFalse();
        continue;
      }
      assertThat(decision.passed(i)).as("key %s passed", i).isEqualTo(expected.passed(i));
      for (int b = 0; b < acquisition.key(i).limits().size(); b++) {
        RateLimitBand band = acquisition.key(i).limits().band(b).band();
        long cost = acquisition.cost(i);
        assertThat(answer(decision, i, b, cost <= band.capacity()))
            .as("%s asked for %s", band, cost)
            .isEqualTo(expected.keys().get(i).get(b));
      }
    }
    return decision;
  }

  private static BandAnswer answer(Decision decision, int i, int b, boolean possible) {
    long cost = decision.acquisition().cost(i);
    return new BandAnswer(
        cost <= decision.remainingBefore(i, b),
        decision.remainingBefore(i, b),
        decision.remaining(i, b),
        possible ? decision.waitMicros(i, b) : 0,
        decision.resetMicros(i, b));
  }

  void pass(Duration time) {
    underTest.pass(time);
  }

  /** Makes the store forget what it may. */
  void forget() {
    underTest.forget();
  }

  /** Returns whether time stands still between calls, so that numbers can be foretold. */
  boolean isTimeless() {
    return underTest.clock().isPresent();
  }

  /** Returns what a second of the examples lasts: one, or less where it has to be waited for. */
  Duration second() {
    return isTimeless() ? Duration.ofSeconds(1) : Duration.ofMillis(100);
  }

  /** Returns the clock, or leaves the test out where it cannot be moved. */
  ManualClock movableClock() {
    assumeTrue(isTimeless(), "the store's clock cannot be moved");
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
