package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.MatchCondition.NoMatch;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final RequestContext REQUEST =
      RequestContext.builder().path("/a").method("GET").apiKey("k1").build();

  private static Map<String, Optional<NoMatch>> why(Explanation explanation) {
    Map<String, Optional<NoMatch>> why = new LinkedHashMap<>();
    explanation.rules().forEach(entry -> why.put(entry.id(), entry.why()));
    return why;
  }

  @Test
  void everyRuleShowsWhetherItMatchedAndWhyNot() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("a-off", 1).enabled(false).path("/elsewhere"),
            rule("b-path", 1).path("/b"),
            rule("c-method", 1).method("PUT"),
            rule("d-header", 1).match(RuleMatch.builder().header("h", "*").build()),
            rule("e-attribute", 1).match(RuleMatch.builder().attribute("a", "*").build()),
            rule("f-ip", 1).match(RuleMatch.builder().clientIp("10.0.0.0/8").build()),
            rule("g-user", 1).match(RuleMatch.builder().userId("u").build()),
            rule("h-skip", 1).key(KeyField.userId()).onMissingIdentity(OnMissingIdentity.SKIP),
            rule("i-stops", 1).stop(true),
            rule("j-stopped", 1),
            rule("k-path", 1).path("/b"));
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(why(explanation))
        .containsExactly(
            Map.entry("a-off", Optional.of(NoMatch.DISABLED)),
            Map.entry("b-path", Optional.of(NoMatch.PATH)),
            Map.entry("c-method", Optional.of(NoMatch.METHOD)),
            Map.entry("d-header", Optional.of(NoMatch.HEADER)),
            Map.entry("e-attribute", Optional.of(NoMatch.ATTRIBUTE)),
            Map.entry("f-ip", Optional.of(NoMatch.CLIENT_IP)),
            Map.entry("g-user", Optional.of(NoMatch.USER_ID)),
            Map.entry("h-skip", Optional.of(NoMatch.MISSING_IDENTITY)),
            Map.entry("i-stops", Optional.empty()),
            Map.entry("j-stopped", Optional.of(NoMatch.STOPPED)),
            Map.entry("k-path", Optional.of(NoMatch.PATH)));
    assertThat(explanation.decision().ruleId()).contains("i-stops");
    assertThat(explanation.rules().get(8).matched()).isTrue();
    assertThat(explanation.rules().get(9).matched()).isFalse();
    assertThat(explanation.rules().get(9).bands()).isEmpty();
  }

  @Test
  void bandsShowTheStateAsItIsAndNothingIsTaken() {
    EngineFixture fixture = EngineFixture.of(rule("r", 2));
    for (int i = 0; i < 5; i++) {
      assertThat(fixture.left("r", REQUEST)).containsExactly(2L);
    }
    fixture.check("/");
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(explanation.decision().remaining()).hasValue(0);
    BandStatus band = explanation.rules().get(0).bands().get(0);
    assertThat(band.label()).isEqualTo("r");
    assertThat(band.limit()).isEqualTo(2);
    assertThat(band.remaining()).isEqualTo(1);
    assertThat(band.resetAt().toEpochMilli()).isEqualTo(EngineFixture.START / 1000 + 1_800_000);
  }

  @Test
  void explanationOfADenialContainsTheDenial() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1));
    fixture.check("/");
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(explanation.decision().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(explanation.rules().get(0).bands().get(0).passed()).isFalse();
  }

  @Test
  void identitiesAreShownAndApiKeysOnlyAsDigests() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("a", 1).key(KeyField.apiKey()),
            rule("b", 1).key(KeyField.apiKey(), KeyField.header("h")),
            rule("c", 1),
            rule("d", 1).keyResolver(request -> "secret"));
    RequestContext request = RequestContext.builder().apiKey("k1").header("h", "v").build();
    List<Explanation.Entry> entries = fixture.explain(LimitCheck.ofRequest(request)).rules();
    String digest = ApiKeyDigest.unkeyed().of("k1");
    assertThat(entries.get(0).identity()).containsExactly(digest);
    assertThat(entries.get(1).identity()).containsExactly(digest, "v");
    assertThat(entries.get(2).identity()).isEmpty();
    assertThat(entries.get(3).identity()).isEmpty();
    assertThat(entries.get(3).bands()).hasSize(1);
    assertThat(fixture.explain(LimitCheck.ofRule("a", List.of("k1"), 1)).rules().get(0).identity())
        .containsExactly(digest);
  }

  @Test
  void rulesAfterAnAllowRuleAreStopped() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("a").action(Action.ALLOW).priority(1), rule("b", 1));
    assertThat(why(fixture.explain(LimitCheck.ofRequest(REQUEST))))
        .containsExactly(
            Map.entry("a", Optional.empty()), Map.entry("b", Optional.of(NoMatch.STOPPED)));
  }

  @Test
  void explanationOfABlockedRequestShowsTheOtherRules() {
    EngineFixture fixture =
        EngineFixture.of(RateLimitRule.builder().id("a").action(Action.DENY), rule("b", 3));
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(explanation.decision().reason()).isEqualTo(Reason.BLOCKED);
    assertThat(explanation.rules()).allMatch(Explanation.Entry::matched);
    assertThat(explanation.rules().get(1).bands().get(0).remaining()).isEqualTo(3);
  }

  @Test
  void ruleThatDeniesForMissingIdentityMatches() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1).key(KeyField.userId()));
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(explanation.decision().reason()).isEqualTo(Reason.MISSING_IDENTITY);
    assertThat(explanation.rules().get(0).matched()).isTrue();
    assertThat(explanation.rules().get(0).identity()).isEmpty();
    assertThat(explanation.rules().get(0).bands()).isEmpty();
  }

  @Test
  void plansAreListedOnceEach() {
    EngineFixture fixture =
        EngineFixture.of(
            EngineFixture.plans(
                RateLimitPlan.of("gold", perHour(10)), RateLimitPlan.of("daily", perHour(5))));
    fixture.engine().allow("k", List.of("gold"), 4);
    Explanation explanation =
        fixture.explain(LimitCheck.ofPlans(List.of("gold", "daily", "gold"), "k", 1));
    assertThat(explanation.rules())
        .extracting(Explanation.Entry::id)
        .containsExactly("gold", "daily");
    assertThat(explanation.rules()).allMatch(Explanation.Entry::plan);
    assertThat(explanation.rules().get(0).bands().get(0).remaining()).isEqualTo(6);
    assertThat(explanation.rules().get(0).identity()).containsExactly("k");
    assertThat(explanation.decision().remaining()).hasValue(5);
  }

  @Test
  void explainsARuleOfAnyActionById() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("off", 1).enabled(false),
            RateLimitRule.builder().id("no").action(Action.DENY),
            rule("r", 4).key(KeyField.userId()));
    assertThat(why(fixture.explain(LimitCheck.ofRule("off", List.of(), 1))))
        .containsExactly(Map.entry("off", Optional.of(NoMatch.DISABLED)));
    assertThat(fixture.explain(LimitCheck.ofRule("no", List.of(), 1)).decision().reason())
        .isEqualTo(Reason.BLOCKED);
    assertThat(fixture.left("r", LimitCheck.ofRule("r", List.of("u"), 1))).containsExactly(4L);
    LimitCheck mine =
        new LimitCheck.OfRule("mine", List.of("u"), Optional.of(List.of(perHour(7))), 1);
    assertThat(fixture.left("mine", mine)).containsExactly(7L);
  }

  @Test
  void unknownNamesFailTheStage() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1));
    for (LimitCheck check :
        List.of(
            LimitCheck.ofRequest("nope", REQUEST),
            LimitCheck.ofRule("nope", List.of("u"), 1),
            LimitCheck.ofPlans(List.of("nope"), "k", 1))) {
      assertThat(fixture.engine().explain(check).toCompletableFuture()).isCompletedExceptionally();
    }
  }

  @Test
  void explainsNoRulesWhileSwitchedOff() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1));
    fixture.engine().enable(false);
    Explanation explanation = fixture.explain(LimitCheck.ofRequest(REQUEST));
    assertThat(explanation.decision().reason()).isEqualTo(Reason.DISABLED);
    assertThat(explanation.rules()).isEmpty();
  }

  @Test
  void theConditionThatFailedIsNamed() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("attributes", 1)
                .match(
                    RuleMatch.builder()
                        .attribute("region", "eu")
                        .attribute("tier", "gold")
                        .build()),
            rule("headers", 1).match(RuleMatch.builder().header("X-Tenant", "t*").build()),
            rule("users", 1).match(RuleMatch.builder().userId("alice").build()));
    RequestContext request =
        RequestContext.builder().attribute("region", "eu").attribute("tier", "free").build();
    assertThat(fixture.explain(LimitCheck.ofRequest(request)).rules())
        .extracting(Explanation.Entry::why, Explanation.Entry::field)
        .containsExactly(
            tuple(Optional.of(NoMatch.ATTRIBUTE), Optional.of("tier")),
            tuple(Optional.of(NoMatch.HEADER), Optional.of("X-Tenant")),
            tuple(Optional.of(NoMatch.USER_ID), Optional.empty()));
  }
}
