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
import org.junit.jupiter.api.Test;

class DenialMemoryTest {
  private static final BucketLimits LIMITS =
      new BucketLimits(OwnerKind.RULE, "r", List.of(RateLimitBand.of(2, 1, Duration.ofHours(1))));
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "alice");

  private final ResetGenerations generations = new ResetGenerations();
  private final DenialMemory memory = new DenialMemory(generations);

  /** Learns the outcome of a bucket from which {@code taken} were taken. */
  private void learn(Acquisition acquisition, int taken, long sentNanos) {
    long now = 1_000_000_000_000_000L;
    BucketStates states = new BucketStates(Acquisition.of(KEY, 1));
    for (int i = 0; i < taken; i++) {
      states.decide(now);
    }
    BucketStates next = new BucketStates(acquisition);
    next.load(0, states.state(0));
    long[] sent = generations.of(acquisition);
    memory.learn(acquisition, sent, next.decide(now), sentNanos);
  }

  private boolean denies(Acquisition acquisition) {
    return memory.deny(acquisition, new Outcome());
  }

  @Test
  void deniesWhatWasDeniedAndNothingElse() {
    assertThat(denies(Acquisition.of(KEY, 1))).isFalse();
    learn(Acquisition.of(KEY, 2), 1, System.nanoTime());
    Outcome outcome = new Outcome();
    assertThat(memory.deny(Acquisition.of(KEY, 2), outcome)).isTrue();
    assertThat(outcome.allowed()).isFalse();
    assertThat(outcome.recalled()).isTrue();
    assertThat(denies(Acquisition.of(KEY, 1))).as("one token is left").isFalse();
    assertThat(denies(Acquisition.of(KEY, 2, true, false))).as("in shadow").isFalse();
    assertThat(denies(Acquisition.of(KEY, 2, false, true))).as("a dry run").isFalse();
    assertThat(denies(Acquisition.of(new RateLimitKey(LIMITS, "bob"), 2))).isFalse();
  }

  @Test
  void anAllowedAcquisitionEndsTheDenial() {
    learn(Acquisition.of(KEY, 1), 2, System.nanoTime());
    assertThat(denies(Acquisition.of(KEY, 1))).isTrue();
    learn(Acquisition.of(KEY, 1), 0, System.nanoTime());
    assertThat(denies(Acquisition.of(KEY, 1))).isFalse();
  }

  @Test
  void aDenialEndsWhenTheBucketCouldHaveRefilled() {
    // The store was called two hours ago, so its clock may be two hours later by now.
    long sent = System.nanoTime() - Duration.ofHours(2).toNanos();
    DenialMemory fresh = new DenialMemory(generations);
    long now = 1_000_000_000_000_000L;
    BucketStates states = new BucketStates(Acquisition.of(KEY, 2));
    states.decide(now);
    BucketStates next = new BucketStates(Acquisition.of(KEY, 2));
    next.load(0, states.state(0));
    fresh.learn(Acquisition.of(KEY, 2), new long[1], next.decide(now), sent);
    assertThat(fresh.deny(Acquisition.of(KEY, 2), new Outcome())).isFalse();
  }

  @Test
  void obeysResets() {
    learn(Acquisition.of(KEY, 1), 2, System.nanoTime());
    generations.learn(ResetGenerations.name(LIMITS), 5);
    assertThat(denies(Acquisition.of(KEY, 1))).isFalse();
    assertThat(memory.denyRemembered(Acquisition.of(KEY, 1), new Outcome())).isFalse();

    learn(Acquisition.of(KEY, 1), 2, System.nanoTime());
    assertThat(denies(Acquisition.of(KEY, 1))).isTrue();
    memory.forget(KEY);
    assertThat(denies(Acquisition.of(KEY, 1))).isFalse();
  }

  @Test
  void aDenialThatWasOnItsWayDuringAResetIsIgnored() {
    long sent = System.nanoTime();
    memory.forget(KEY);
    learn(Acquisition.of(KEY, 1), 2, sent);
    assertThat(denies(Acquisition.of(KEY, 1))).isFalse();
  }

  @Test
  void isBounded() {
    for (int i = 0; i < 120_000; i++) {
      RateLimitKey key = new RateLimitKey(LIMITS, "caller-" + i);
      Acquisition two = Acquisition.of(key, 2);
      BucketStates states = new BucketStates(Acquisition.of(key, 1));
      states.decide(1_000_000_000_000_000L);
      BucketStates next = new BucketStates(two);
      next.load(0, states.state(0));
      memory.learn(two, new long[1], next.decide(1_000_000_000_000_000L), System.nanoTime());
    }
    assertThat(memory.size()).isEqualTo(100_000);
  }
}
