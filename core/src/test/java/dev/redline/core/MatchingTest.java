package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.RuleMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatchingTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/x",
        "//api/x",
        "/api/../api/x",
        "/%61pi/x",
        "/%2561pi/x",
        "/api%2Fx",
        "/api;v=1/x",
        "/api\\x",
        "/api/x/",
        "/x/..;/api/x",
        "/x/%2e%2e/api/x",
        "/%252525252561pi/x"
      })
  void noSpellingEvadesARule(String spelling) {
    EngineFixture fixture = EngineFixture.of(rule("api", 1).path("/api/**"));
    assertThat(fixture.check(spelling).ruleId()).contains("api");
    assertThat(fixture.check("/api/x").allowed()).isFalse();
  }

  @Test
  void requestWithoutMatchingRuleIsAllowed() {
    EngineFixture fixture = EngineFixture.of(rule("api", 1).path("/api/**"));
    RateLimitResult result = fixture.check("/apix");
    assertThat(result.reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(result.allowed()).isTrue();
    assertThat(result.ruleId()).isEmpty();
    assertThat(result.ruleSetId()).isEmpty();
  }

  @Test
  void oneOfSeveralPathsIsEnough() {
    EngineFixture fixture = EngineFixture.of(rule("r", 9).path("/a").path("/b/**"));
    assertThat(fixture.check("/a").ruleId()).contains("r");
    assertThat(fixture.check("/b/c").ruleId()).contains("r");
    assertThat(fixture.check("/c").ruleId()).isEmpty();
  }

  @Test
  void requestWithoutPathMatchesOnlyRulesWithoutPath() {
    EngineFixture fixture = EngineFixture.of(rule("any-path", 9).path("/**"), rule("whatever", 9));
    RateLimitResult result = fixture.check(RequestContext.builder().userId("u").build());
    assertThat(result.ruleId()).contains("whatever");
    assertThat(result.bands()).hasSize(1);
  }

  @Test
  void getIncludesHeadAndMethodsIgnoreCase() {
    EngineFixture fixture = EngineFixture.of(rule("reads", 9).method("GET"));
    assertThat(fixture.check(RequestContext.builder().path("/").method("head").build()).ruleId())
        .contains("reads");
    assertThat(fixture.check(RequestContext.builder().path("/").method("get").build()).ruleId())
        .contains("reads");
    assertThat(fixture.check(RequestContext.builder().path("/").method("PUT").build()).reason())
        .isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(fixture.check(RequestContext.builder().path("/").build()).reason())
        .isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void furtherConditionsMustHold() {
    EngineFixture fixture =
        EngineFixture.of(rule("r", 9).match(RuleMatch.builder().header("X-Tier", "g*").build()));
    assertThat(
            fixture
                .check(RequestContext.builder().path("/").header("x-tier", "gold").build())
                .ruleId())
        .contains("r");
    assertThat(fixture.check("/").reason()).isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void aNewBookIsInForceAtOnceAndKeepsUnchangedBuckets() {
    EngineFixture fixture = EngineFixture.of(rule("r", 3));
    fixture.check("/");
    fixture.engine().use(EngineFixture.book(rule("r", 3).priority(4), rule("s", 9).path("/s")));
    assertThat(fixture.check("/").remaining()).hasValue(1);
    fixture.engine().use(EngineFixture.book(rule("r", 7)));
    assertThat(fixture.left("r", request("/"))).containsExactly(7L);
  }
}
