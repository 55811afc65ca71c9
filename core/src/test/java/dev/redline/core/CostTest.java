package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.key.RequestContext;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostTest {
  private static RequestContext costing(long cost) {
    return RequestContext.builder().path("/").cost(cost).build();
  }

  @Test
  void ruleCostAndRequestCostAreMultiplied() {
    EngineFixture fixture = EngineFixture.of(rule("r", 20).cost(3));
    assertThat(fixture.check(costing(4)).remaining()).hasValue(8);
    assertThat(fixture.check(costing(3)).allowed()).isFalse();
    assertThat(fixture.check(costing(2)).remaining()).hasValue(2);
  }

  @Test
  void eachRuleMultipliesByItsOwnCost() {
    EngineFixture fixture = EngineFixture.of(rule("cheap", 10), rule("dear", 10).cost(4));
    fixture.check(costing(2));
    assertThat(fixture.left("cheap", request("/"))).containsExactly(8L);
    assertThat(fixture.left("dear", request("/"))).containsExactly(2L);
  }

  @Test
  void costAboveTheCapacityIsReportedAsSuch() {
    EngineFixture fixture = EngineFixture.of(rule("r", 10));
    RateLimitResult result = fixture.check(costing(11));
    assertThat(result.reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(result.retryAfterMs()).isEmpty();
    assertThat(result.limit()).hasValue(10);
    assertThat(result.remaining()).hasValue(10);
    assertThat(fixture.check(costing(10)).allowed()).isTrue();
  }

  @Test
  void largestProductOfCostsIsDeniedWithoutOverflow() {
    EngineFixture fixture = EngineFixture.of(rule("r", 10).cost(1_000_000_000_000L));
    RateLimitResult result = fixture.check(costing(1_000_000_000_000L));
    assertThat(result.reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(result.remaining()).hasValue(10);
  }

  @Test
  void largestCapacityCanBeAcquiredAtOnce() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1_000_000_000_000L));
    assertThat(fixture.check(costing(1_000_000_000_000L)).remaining()).hasValue(0);
    assertThat(fixture.check(costing(1)).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
  }

  @Test
  void rejectsCostOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LimitCheck.ofRule("r", List.of("u"), 0))
        .withMessageContaining("cost")
        .withMessageContaining("was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LimitCheck.ofPlans(List.of("p"), "k", 1_000_000_000_001L))
        .withMessageContaining("cost");
  }
}
