package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitRule;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SeveralRulesTest {
  private static RateLimitRule.Builder per(String id, long capacity, Duration period) {
    return RateLimitRule.builder().id(id).addBand(RateLimitBand.of(capacity, capacity, period));
  }

  @Test
  void oneDenialDeniesTheRequestAndNothingIsTaken() {
    EngineFixture fixture = EngineFixture.of(rule("a", 9), rule("b", 1), rule("c", 9));
    assertThat(fixture.check("/").allowed()).isTrue();
    for (int i = 0; i < 5; i++) {
      assertThat(fixture.check("/").allowed()).isFalse();
    }
    assertThat(fixture.left("a", request("/"))).containsExactly(8L);
    assertThat(fixture.left("b", request("/"))).containsExactly(0L);
    assertThat(fixture.left("c", request("/"))).containsExactly(8L);
  }

  @Test
  void tenPerSecondHundredPerMinuteThousandPerHour() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("api")
                .addBand(RateLimitBand.of(10, 10, Duration.ofSeconds(1)))
                .addBand(RateLimitBand.of(100, 100, Duration.ofMinutes(1)))
                .addBand(RateLimitBand.of(1000, 1000, Duration.ofHours(1))));
    int passed = 0;
    for (int i = 0; i < 12; i++) {
      passed += fixture.check("/").allowed() ? 1 : 0;
    }
    assertThat(passed).isEqualTo(10);
    assertThat(fixture.left("api", request("/"))).containsExactly(0L, 90L, 990L);
  }

  @Test
  void theLongestWaitIsReported() {
    EngineFixture fixture =
        EngineFixture.of(
            per("a-second", 1, Duration.ofSeconds(1)),
            per("b-minute", 1, Duration.ofMinutes(1)),
            per("c-half", 1, Duration.ofSeconds(30)));
    fixture.check("/");
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("b-minute");
    assertThat(result.retryAfterMs()).hasValue(60_000);
    fixture.advance(Duration.ofMillis(59_999));
    assertThat(fixture.check("/").allowed()).isFalse();
    fixture.advance(Duration.ofMillis(1));
    assertThat(fixture.check("/").allowed()).isTrue();
  }

  @Test
  void firstInOrderOfEvaluationWinsATie() {
    EngineFixture fixture = EngineFixture.of(rule("b", 1), rule("a", 1), rule("c", 1).priority(1));
    fixture.check("/");
    assertThat(fixture.check("/").ruleId()).contains("c");
  }

  @Test
  void theBandWithTheSmallestShareLeftIsReported() {
    EngineFixture fixture = EngineFixture.of(rule("a", 100), rule("b", 10), rule("c", 50));
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("b");
    assertThat(result.limit()).hasValue(10);
    assertThat(result.remaining()).hasValue(9);
    assertThat(result.band()).contains("b");
  }

  @Test
  void comparesSharesOfLargeBandsExactly() {
    EngineFixture fixture =
        EngineFixture.of(rule("a", 999_999_999_999L), rule("b", 999_999_999_998L));
    assertThat(fixture.check("/").ruleId()).contains("b");
  }

  @Test
  void reportsDenialsByPrecedence() {
    RateLimitRule.Builder exceeded = rule("a-exceeded", 1);
    RateLimitRule.Builder costly = rule("b-costly", 1).cost(2).path("/cost/**");
    RateLimitRule.Builder unknown =
        rule("c-unknown", 1)
            .key(KeyField.userId())
            .onMissingIdentity(OnMissingIdentity.REJECT)
            .path("/cost/who/**");
    RateLimitRule.Builder blocked =
        RateLimitRule.builder().id("d-blocked").action(Action.DENY).path("/cost/who/no");
    EngineFixture fixture = EngineFixture.of(exceeded, costly, unknown, blocked);
    fixture.check("/");
    assertThat(fixture.check("/").reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(fixture.check("/cost").reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(fixture.check("/cost").ruleId()).contains("b-costly");
    assertThat(fixture.check("/cost/who").reason()).isEqualTo(Reason.MISSING_IDENTITY);
    assertThat(fixture.check("/cost/who/no").reason()).isEqualTo(Reason.BLOCKED);
  }

  @Test
  void remainingAndResetAreThoseOfTheReportedBandNow() {
    EngineFixture fixture = EngineFixture.of(per("r", 10, Duration.ofSeconds(10)));
    for (int i = 9; i >= 0; i--) {
      assertThat(fixture.check("/").remaining()).hasValue(i);
    }
    fixture.advance(Duration.ofMillis(500));
    RateLimitResult denied = fixture.check("/");
    assertThat(denied.remaining()).hasValue(0);
    assertThat(denied.retryAfterMs()).hasValue(500);
    assertThat(denied.resetAtMs()).hasValue(EngineFixture.START / 1000 + 10_000);
    assertThat(denied.band()).contains("r");
    assertThat(denied.degraded()).isFalse();
  }

  @Test
  void callersOfOneRuleDoNotShare() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1).key(KeyField.ip()));
    assertThat(fixture.check(RequestContext.builder().clientIp("10.0.0.1").build()).allowed())
        .isTrue();
    assertThat(fixture.check(RequestContext.builder().clientIp("10.0.0.2").build()).allowed())
        .isTrue();
    assertThat(fixture.check(RequestContext.builder().clientIp("10.0.0.1").build()).allowed())
        .isFalse();
  }

  /** Quadratic work would take minutes. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void tensOfThousandsOfMatchingRulesAreDecidedTogether() {
    int count = 40_000;
    RateLimitRule.Builder[] rules = new RateLimitRule.Builder[count];
    for (int i = 0; i < count; i++) {
      // Evaluated in another order than locked.
      rules[i] = rule("r" + i, 2).priority(i % 97);
    }
    RateLimitEngine engine =
        RateLimitEngine.builder(new LocalStore(count, () -> EngineFixture.START))
            .book(EngineFixture.book(rules))
            .reportBands(true)
            .build();
    for (int i = 0; i < 2; i++) {
      RateLimitResult result = engine.check(request("/"));
      assertThat(result.allowed()).isTrue();
      assertThat(result.bands()).hasSize(count);
    }
    assertThat(engine.check(request("/")).allowed()).isFalse();
  }
}
