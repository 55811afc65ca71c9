package dev.redline.core;

import static dev.redline.core.EngineFixture.book;
import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.key.KeyField;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShadowTest {
  private static final EngineSettings SHADOW_ALL =
      new EngineSettings(true, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, 1.0);

  @Test
  void aShadowRuleReportsButNeverDenies() {
    EngineFixture fixture = EngineFixture.of(rule("trial", 1).mode(Mode.SHADOW));
    assertThat(fixture.check("/").shadowDenied()).isEmpty();
    RateLimitResult result = fixture.check("/");
    assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(result.shadowDenied()).containsExactly("trial");
  }

  @Test
  void aShadowRuleFillsNoNumbers() {
    EngineFixture fixture = EngineFixture.of(rule("trial", 1).mode(Mode.SHADOW));
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).isEmpty();
    assertThat(result.limit()).isEmpty();
    assertThat(result.remaining()).isEmpty();
    assertThat(result.bands()).isEmpty();

    EngineFixture both = EngineFixture.of(rule("trial", 1).mode(Mode.SHADOW), rule("real", 9));
    assertThat(both.check("/").ruleId()).contains("real");
    assertThat(both.check("/").remaining()).hasValue(7);
  }

  @Test
  void shadowRuleTakesOnlyIfTheRequestIsAllowed() {
    EngineFixture fixture = EngineFixture.of(rule("real", 1), rule("trial", 5).mode(Mode.SHADOW));
    fixture.check("/");
    assertThat(fixture.check("/").allowed()).isFalse();
    assertThat(fixture.left("trial", request("/"))).containsExactly(4L);
  }

  @Test
  void shadowRuleTakesOnlyIfAllItsBandsAllow() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("trial")
                .addBand(perHour(1))
                .addBand(perHour(5))
                .mode(Mode.SHADOW),
            rule("real", 9));
    fixture.check("/");
    assertThat(fixture.check("/").shadowDenied()).containsExactly("trial");
    assertThat(fixture.left("trial", request("/"))).containsExactly(0L, 4L);
    assertThat(fixture.left("real", request("/"))).containsExactly(7L);
  }

  @Test
  void shadowRuleIsReportedAlsoInADenial() {
    EngineFixture fixture = EngineFixture.of(rule("real", 1), rule("trial", 1).mode(Mode.SHADOW));
    fixture.check("/");
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("real");
    assertThat(result.shadowDenied()).containsExactly("trial");
  }

  @Test
  void aShadowRuleStopsLikeAnyRule() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("trial", 1).mode(Mode.SHADOW).stop(true).priority(1), rule("real", 1));
    fixture.check("/");
    assertThat(fixture.check("/").allowed()).isTrue();
    assertThat(fixture.left("real", LimitCheck.ofRule("real", List.of(), 1))).containsExactly(1L);
  }

  @Test
  void aShadowDenyRuleOnlyReports() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("no").action(Action.DENY).mode(Mode.SHADOW),
            rule("real", 5));
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("real");
    assertThat(result.shadowDenied()).containsExactly("no");
  }

  @Test
  void aShadowRuleWithoutIdentityOnlyReports() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("trial", 5)
                .mode(Mode.SHADOW)
                .key(KeyField.userId())
                .onMissingIdentity(OnMissingIdentity.REJECT));
    RateLimitResult result = fixture.check("/");
    assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(result.shadowDenied()).containsExactly("trial");
  }

  @Test
  void shadowRulesAfterADenyRuleAreStillReported() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("a").action(Action.DENY),
            RateLimitRule.builder().id("b").action(Action.DENY).mode(Mode.SHADOW));
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("a");
    assertThat(result.shadowDenied()).containsExactly("b");
  }

  @Test
  void anAllowRuleIsNamedAlsoBehindShadowLimits() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("trial", 5).mode(Mode.SHADOW).priority(1),
            RateLimitRule.builder().id("health").action(Action.ALLOW));
    RateLimitResult result = fixture.check("/");
    assertThat(result.ruleId()).contains("health");
    assertThat(result.limit()).isEmpty();
    assertThat(fixture.left("trial", request("/"))).containsExactly(4L);
  }

  @Test
  void globalShadowShadowsEveryRule() {
    EngineFixture fixture =
        EngineFixture.of(
            book(rule("a", 1), rule("b", 1), RateLimitRule.builder().id("c").action(Action.DENY)),
            SHADOW_ALL);
    assertThat(fixture.check("/").shadowDenied()).containsExactly("c");
    RateLimitResult result = fixture.check("/");
    assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(result.limit()).isEmpty();
    assertThat(result.shadowDenied()).containsExactly("a", "b", "c");
  }

  @Test
  void reportsShadowRulesInOrderOfEvaluation() {
    EngineFixture fixture =
        EngineFixture.of(
            book(
                rule("e", 1),
                RateLimitRule.builder().id("d").action(Action.DENY),
                rule("c", 1),
                rule("b", 1).key(KeyField.userId()).onMissingIdentity(OnMissingIdentity.REJECT),
                rule("a", 1).priority(-1),
                RateLimitRule.builder().id("z").action(Action.DENY).priority(1)),
            SHADOW_ALL);
    assertThat(fixture.check("/").shadowDenied()).containsExactly("z", "b", "d");
    assertThat(fixture.check("/").shadowDenied()).containsExactly("z", "b", "c", "d", "e", "a");
  }

  @Test
  void globalShadowShadowsPlansToo() {
    EngineFixture fixture =
        EngineFixture.of(EngineFixture.plans(RateLimitPlan.of("gold", perHour(1))), SHADOW_ALL);
    fixture.engine().allow("k", "gold");
    RateLimitResult result = fixture.engine().allow("k", "gold");
    assertThat(result.allowed()).isTrue();
    assertThat(result.shadowDenied()).containsExactly("gold");
  }
}
