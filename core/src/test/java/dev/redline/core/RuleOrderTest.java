package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.key.KeyField;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RuleOrderTest {
  private static RateLimitRule.Builder allow(String id) {
    return RateLimitRule.builder().id(id).action(Action.ALLOW);
  }

  private static RateLimitRule.Builder deny(String id) {
    return RateLimitRule.builder().id(id).action(Action.DENY);
  }

  @Test
  void amongEqualsTheFirstInOrderIsReported() {
    assertThat(EngineFixture.of(rule("b", 5), rule("a", 5)).check("/").ruleId()).contains("a");
    assertThat(EngineFixture.of(rule("b", 5).priority(1), rule("a", 5)).check("/").ruleId())
        .contains("b");
  }

  @Test
  void aStoppingRuleEndsTheEvaluation() {
    EngineFixture fixture =
        EngineFixture.of(rule("first", 5).priority(1).stop(true), rule("then", 1));
    for (int i = 0; i < 5; i++) {
      assertThat(fixture.check("/").ruleId()).contains("first");
    }
    assertThat(fixture.check("/").ruleId()).contains("first");
    assertThat(fixture.check("/").allowed()).isFalse();
  }

  @Test
  void aStoppingRuleThatDoesNotMatchStopsNothing() {
    EngineFixture fixture =
        EngineFixture.of(rule("first", 5).priority(1).stop(true).path("/a"), rule("then", 1));
    assertThat(fixture.check("/b").ruleId()).contains("then");
  }

  @Test
  void aDisabledOrSkippedRuleStopsNothing() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("off", 1).priority(9).stop(true).enabled(false),
            rule("skipped", 1)
                .priority(8)
                .stop(true)
                .key(KeyField.userId())
                .onMissingIdentity(OnMissingIdentity.SKIP),
            allow("off-too").priority(7).enabled(false),
            deny("off-also").priority(6).enabled(false),
            rule("then", 1));
    assertThat(fixture.check("/").ruleId()).contains("then");
    assertThat(fixture.check("/").allowed()).isFalse();
  }

  @Test
  void allowRuleAllowsAndEndsTheEvaluation() {
    EngineFixture fixture =
        EngineFixture.of(
            allow("health").path("/health/**").priority(100),
            rule("all", 1),
            deny("no").path("/health/x"));
    for (int i = 0; i < 3; i++) {
      RateLimitResult result = fixture.check("/health/x");
      assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
      assertThat(result.ruleId()).contains("health");
      assertThat(result.ruleSetId()).contains("default");
      assertThat(result.limit()).isEmpty();
      assertThat(result.remaining()).isEmpty();
      assertThat(result.resetAt()).isEmpty();
      assertThat(result.bands()).isEmpty();
    }
    assertThat(fixture.left("all", request("/"))).containsExactly(1L);
  }

  @Test
  void limitsBeforeAnAllowRuleStillCount() {
    EngineFixture fixture = EngineFixture.of(rule("all", 1).priority(1), allow("health"));
    assertThat(fixture.check("/").ruleId()).contains("all");
    assertThat(fixture.check("/").reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
  }

  @Test
  void denyRuleDeniesAndTakesNothing() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("before", 5).priority(1), deny("blocked").path("/x"), rule("z-after", 5));
    RateLimitResult result = fixture.check("/x");
    assertThat(result.reason()).isEqualTo(Reason.BLOCKED);
    assertThat(result.ruleId()).contains("blocked");
    assertThat(result.retryAfter()).isEmpty();
    assertThat(result.limit()).isEmpty();
    assertThat(fixture.left("before", request("/"))).containsExactly(5L);
    assertThat(fixture.left("z-after", request("/"))).containsExactly(5L);
  }

  @Test
  void theFirstOfSeveralDenyRulesIsReported() {
    assertThat(EngineFixture.of(deny("b"), deny("a")).check("/").ruleId()).contains("a");
  }

  @Test
  void anAllowRuleAfterADenyRuleDoesNotHelp() {
    assertThat(EngineFixture.of(deny("no").priority(1), allow("yes")).check("/").reason())
        .isEqualTo(Reason.BLOCKED);
    assertThat(EngineFixture.of(deny("no"), allow("yes").priority(1)).check("/").reason())
        .isEqualTo(Reason.ALLOWED);
  }

  @Test
  void checkUsesOneRuleSetOrAll() {
    EngineFixture fixture =
        EngineFixture.of(rule("a", 9).ruleSetId("x"), rule("b", 5).ruleSetId("y"));
    assertThat(fixture.engine().check("x", request("/")).ruleId()).contains("a");
    assertThat(fixture.engine().check("x", request("/")).ruleSetId()).contains("x");
    assertThat(fixture.check("/").bands()).extracting(BandStatus::owner).containsExactly("a", "b");
    assertThat(fixture.left("a", request("/"))).containsExactly(6L);
    assertThat(fixture.left("b", request("/"))).containsExactly(4L);
  }

  @Test
  void theDefaultRuleSetReplacesAll() {
    EngineFixture fixture =
        EngineFixture.of(
            EngineFixture.book(rule("a", 9).ruleSetId("x"), rule("b", 5).ruleSetId("y")),
            new EngineSettings(
                false,
                Optional.of("x"),
                EngineSettings.MissingRules.ALLOW,
                OnStoreFailure.LOCAL,
                1.0));
    assertThat(fixture.check("/").ruleId()).contains("a");
    assertThat(fixture.explain(LimitCheck.ofRequest(request("/"))).rules())
        .extracting(Explanation.Entry::id)
        .isEqualTo(List.of("a"));
  }
}
