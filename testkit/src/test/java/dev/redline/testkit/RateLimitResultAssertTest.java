package dev.redline.testkit;

import static dev.redline.testkit.RedlineAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RateLimitResultAssertTest {
  private static final Instant RESET = Instant.parse("2026-01-01T00:00:10Z");
  private static final RateLimitResult ALLOWED =
      RateLimitResult.builder(Reason.ALLOWED)
          .rule("set", "rule")
          .band("per-second", 10, 9, RESET)
          .build();
  private static final RateLimitResult DENIED =
      RateLimitResult.builder(Reason.LIMIT_EXCEEDED)
          .plan("gold")
          .band("per-second", 10, 0, RESET)
          .retryAfter(Duration.ofMillis(412))
          .shadowDenied(List.of("new-rule"))
          .degraded(true)
          .build();

  @Test
  void passesIfTheResultIsAsExpected() {
    assertThat(ALLOWED)
        .isAllowed()
        .hasReason(Reason.ALLOWED)
        .hasRuleSet("set")
        .hasRule("rule")
        .hasBand("per-second")
        .hasLimit(10)
        .hasRemaining(9)
        .resetsAt(RESET)
        .hasNoWait()
        .hasShadowDenied()
        .isNotDegraded();
    assertThat(DENIED)
        .isDenied()
        .hasReason(Reason.LIMIT_EXCEEDED)
        .hasPlan("gold")
        .hasRemaining(0)
        .retriesAfter(Duration.ofMillis(412))
        .retriesWithin(Duration.ofMillis(412))
        .hasShadowDenied("new-rule")
        .isDegraded();
    assertThat(RateLimitResult.of(Reason.NO_MATCHING_RULE)).isAllowed().hasNoNumbers();
  }

  @Test
  void failsIfTheResultIsAnother() {
    fails(ALLOWED, result -> result.isDenied());
    fails(ALLOWED, result -> result.hasReason(Reason.DISABLED));
    fails(ALLOWED, result -> result.hasRule("other"));
    fails(ALLOWED, result -> result.hasRuleSet("other"));
    fails(ALLOWED, result -> result.hasPlan("gold"));
    fails(ALLOWED, result -> result.hasBand("other"));
    fails(ALLOWED, result -> result.hasLimit(9));
    fails(ALLOWED, result -> result.hasRemaining(10));
    fails(ALLOWED, result -> result.hasNoNumbers());
    fails(ALLOWED, result -> result.retriesWithin(Duration.ofDays(1)));
    fails(ALLOWED, result -> result.retriesAfter(Duration.ZERO));
    fails(ALLOWED, result -> result.resetsAt(RESET.plusMillis(1)));
    fails(ALLOWED, result -> result.hasShadowDenied("new-rule"));
    fails(ALLOWED, result -> result.isDegraded());
    fails(DENIED, result -> result.isAllowed());
    fails(DENIED, result -> result.hasNoWait());
    fails(DENIED, result -> result.retriesWithin(Duration.ofMillis(411)));
    fails(DENIED, result -> result.hasShadowDenied());
    fails(DENIED, result -> result.isNotDegraded());
  }

  private static void fails(RateLimitResult result, Consumer<RateLimitResultAssert> claim) {
    assertThatThrownBy(() -> claim.accept(assertThat(result)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(result.toString());
  }
}
