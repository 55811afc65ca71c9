package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a decision point denied stays denied until the advertised time. */
class RememberedDenialsTest {
  private static final BucketLimits LIMITS =
      new BucketLimits(
          BucketLimits.OwnerKind.PLAN, "gold", List.of(RateLimitBand.parse("100/h burst 100")));
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "alice");

  private final RememberedDenials denials = new RememberedDenials();

  private void deny(long cost, Duration wait) {
    RateLimitResult result =
        RateLimitResult.builder(Reason.LIMIT_EXCEEDED).plan("gold").retryAfter(wait).build();
    denials.learn(Acquisition.of(KEY, cost), result);
  }

  /** Returns for how many whole minutes a cost is denied, rounded up; 0 if it is not. */
  private long minutes(long cost) {
    RateLimitResult result = denials.find(Acquisition.of(KEY, cost));
    return result == null ? 0 : result.retryAfter().orElseThrow().plusSeconds(59).toMinutes();
  }

  @Test
  void everyCostStaysDeniedUntilItsTimeInAnyOrder() {
    deny(1, Duration.ofMinutes(10));
    deny(5, Duration.ofMinutes(50));
    assertThat(minutes(1)).isEqualTo(10);
    assertThat(minutes(4)).isEqualTo(10);
    assertThat(minutes(5)).isEqualTo(50);
    deny(3, Duration.ofMinutes(30));
    deny(1, Duration.ofMinutes(9));
    assertThat(minutes(1)).isEqualTo(10);
    assertThat(minutes(3)).isEqualTo(30);
    assertThat(minutes(100)).isEqualTo(50);
  }

  @Test
  void longerDenialOfSmallerCostReplacesOthers() {
    deny(5, Duration.ofMinutes(5));
    deny(3, Duration.ofMinutes(3));
    deny(2, Duration.ofMinutes(20));
    assertThat(minutes(1)).isZero();
    assertThat(minutes(2)).isEqualTo(20);
    assertThat(minutes(5)).isEqualTo(20);
  }

  @Test
  void denialThatAnotherIncludesTakesNoPlace() {
    deny(1, Duration.ofMinutes(10));
    deny(5, Duration.ofMinutes(50));
    deny(6, Duration.ofMinutes(9));
    deny(9, Duration.ofMinutes(90));
    deny(10, Duration.ofMinutes(100));
    assertThat(minutes(9)).isEqualTo(90);
  }

  @Test
  void remembersTheLatestOfManyCosts() {
    for (int cost = 1; cost <= 50; cost++) {
      deny(cost, Duration.ofMinutes(cost));
      assertThat(minutes(cost)).isEqualTo(cost);
    }
    assertThat(minutes(1)).isEqualTo(1);
  }

  @Test
  void otherCallersAndSmallerCostsAreNotDenied() {
    deny(5, Duration.ofMinutes(5));
    assertThat(minutes(4)).isZero();
    assertThat(denials.find(Acquisition.of(new RateLimitKey(LIMITS, "bob"), 5))).isNull();
    assertThat(denials.find(Acquisition.of(KEY, 5, true, false))).isNull();
  }
}
