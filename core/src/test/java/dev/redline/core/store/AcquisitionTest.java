package dev.redline.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class AcquisitionTest {
  private static RateLimitKey key(BucketLimits.OwnerKind kind, String owner, int bands) {
    RateLimitBand band = RateLimitBand.of(10, 1, Duration.ofSeconds(1));
    return new RateLimitKey(
        new BucketLimits(kind, owner, Collections.nCopies(bands, band)), "identity");
  }

  private static RateLimitKey rule(String id) {
    return key(BucketLimits.OwnerKind.RULE, id, 1);
  }

  @Test
  void keepsKeysCostsAndShadowsInOrder() {
    RateLimitKey a = rule("a");
    RateLimitKey b = key(BucketLimits.OwnerKind.RULE, "b", 3);
    Acquisition acquisition = Acquisition.builder().add(b, 7, true).take(a, 2).build();
    assertThat(acquisition.size()).isEqualTo(2);
    assertThat(acquisition.bands()).isEqualTo(4);
    assertThat(acquisition.key(0)).isEqualTo(b);
    assertThat(acquisition.cost(0)).isEqualTo(7);
    assertThat(acquisition.shadow(0)).isTrue();
    assertThat(acquisition.key(1)).isEqualTo(a);
    assertThat(acquisition.cost(1)).isEqualTo(2);
    assertThat(acquisition.shadow(1)).isFalse();
    assertThat(acquisition.dryRun()).isFalse();
  }

  @Test
  void laterCallsOfTheBuilderDoNotChangeWhatItBuilt() {
    Acquisition.Builder builder = Acquisition.builder().take(rule("a"), 1);
    Acquisition first = builder.build();
    Acquisition second = builder.add(rule("b"), 5, true).dryRun(true).build();
    assertThat(first.size()).isEqualTo(1);
    assertThat(first.dryRun()).isFalse();
    assertThat(second.size()).isEqualTo(2);
  }

  @Test
  void rejectsTheSameKeyTwiceButNotRuleAndPlanOfOneName() {
    Acquisition.Builder builder = Acquisition.builder().take(rule("a"), 1);
    builder.take(key(BucketLimits.OwnerKind.PLAN, "a", 1), 1);
    assertThatThrownBy(() -> builder.take(rule("a"), 1))
        .hasMessage("rule a is acquired twice for one identity");
  }

  @Test
  void acquiresAnOwnerForSeveralIdentities() {
    RateLimitKey other = new RateLimitKey(rule("a").limits(), "other");
    Acquisition both = Acquisition.builder().take(rule("a"), 1).take(other, 2).build();
    assertThat(both.size()).isEqualTo(2);
    assertThat(both.with(1, 5, true).cost(1)).isEqualTo(5);
    assertThat(both.with(1, 5, true).shadow(1)).isTrue();
    assertThat(both.with(0, 4, false).cost(0)).isEqualTo(4);
    assertThat(both.cost(1)).isEqualTo(2);
  }

  @Test
  void rejectsAKeyTwiceAmongMany() {
    Acquisition.Builder builder = Acquisition.builder();
    for (int i = 0; i < 20; i++) {
      builder.take(new RateLimitKey(rule("a").limits(), "i" + i), 1);
    }
    assertThatThrownBy(() -> builder.take(new RateLimitKey(rule("a").limits(), "i" + 12), 1))
        .hasMessage("rule a is acquired twice for one identity");
  }

  @Test
  void rejectsCostBelowOneAndNoKeys() {
    assertThatThrownBy(() -> Acquisition.of(rule("a"), 0))
        .hasMessage("cost must be at least 1, was 0");
    assertThatThrownBy(() -> Acquisition.builder().take(rule("a"), -1))
        .hasMessage("cost must be at least 1, was -1");
    assertThatThrownBy(() -> Acquisition.builder().build())
        .hasMessage("an acquisition needs at least one key");
  }

  @Test
  void preparedOutcomeStartsEmpty() {
    Outcome outcome = new Outcome();
    outcome.reset(100);
    outcome.pass(3);
    outcome.pass(64);
    outcome.pass(99);
    outcome.degrade();
    outcome.decide(true, 42);
    assertThat(outcome.passed(3) && outcome.passed(64) && outcome.passed(99)).isTrue();
    assertThat(outcome.passed(0) || outcome.passed(63) || outcome.passed(65)).isFalse();
    assertThat(outcome.views()).hasSizeGreaterThanOrEqualTo(100 * BandArithmetic.VIEW_WORDS);
    outcome.reset(1);
    assertThat(outcome.passed(3) || outcome.passed(64) || outcome.passed(99)).isFalse();
    assertThat(outcome.allowed() || outcome.degraded()).isFalse();
  }

  @Test
  void monotonicClockNeverGoesBack() {
    MicrosClock clock = MicrosClock.monotonic();
    long before = clock.nowMicros();
    assertThat(before / 1_000_000).isCloseTo(System.currentTimeMillis() / 1000, within(5L));
    for (int i = 0; i < 10_000; i++) {
      long now = clock.nowMicros();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
  }
}
